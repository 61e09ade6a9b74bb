/* What the pages do beyond links and forms: charts, copying, mistakes at their fields, the player.
   Everything is found by data attributes, and found again whenever htmx puts new parts in. */
"use strict";
(() => {
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    return (name) => style.getPropertyValue(`--${name}`).trim();
  };

  // --- charts ---------------------------------------------------------------------------------
  let library;
  const charting = () => {
    library ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = "/static/vega.js";
      script.onload = () => resolve(window.drawVegaLite);
      script.onerror = reject;
      document.head.append(script);
    });
    return library;
  };

  const NAMED = new Set(["accent", "accent-middle", "quiet", "bad", "ink", "soft", "series-2", "series-3", "series-4"]);
  const coloured = (part, colour) => {
    if (typeof part === "string") return NAMED.has(part) ? colour(part) : part;
    if (Array.isArray(part)) return part.map((one) => coloured(one, colour));
    if (part && typeof part === "object") {
      const skipped = new Set(["data", "field", "domain"]);
      return Object.fromEntries(Object.entries(part).map(
        ([key, one]) => [key, skipped.has(key) ? one : coloured(one, colour)]));
    }
    return part;
  };

  const themed = (spec, width) => {
    const colour = colours();
    return {
      ...coloured(spec, colour),
      background: null,
      config: {
        font: "system-ui, 'Helvetica Neue', Arial, sans-serif",
        mark: {color: colour("accent")},
        view: {stroke: null},
        axis: {
          labelColor: colour("soft"), titleColor: colour("soft"), gridColor: colour("line"),
          domainColor: colour("line"), tickColor: colour("line"), labelFontSize: 12,
          titleFontSize: 12, titleFontWeight: 500, labelPadding: 6, titlePadding: 10,
        },
        legend: {labelColor: colour("ink"), labelFontSize: 12, symbolSize: 90, columns: width < 480 ? 2 : 4},
        text: {fontSize: 12},
      },
    };
  };

  const tip = (drawing) => (handler, event, item, value) => {
    document.querySelectorAll(".tip").forEach((one) => one.remove());
    if (value === null || value === undefined || value === "") return;
    const shown = document.createElement("div");
    shown.className = "tip";
    shown.textContent = typeof value === "object"
      ? Object.entries(value).map(([name, one]) => `${name} ${one}`).join(" · ") : String(value);
    document.body.append(shown);
    const edge = document.documentElement.clientWidth - shown.offsetWidth - 8;
    shown.style.left = `${Math.max(8, Math.min(event.pageX + 12, edge))}px`;
    shown.style.top = `${event.pageY + 14}px`;
  };

  const draw = async (drawing) => {
    const drawn = await charting();
    if (!drawing.isConnected) return;
    drawing.view?.finalize();
    const width = Math.max(drawing.clientWidth, 240);
    const spec = {...themed(JSON.parse(drawing.dataset.chart), width), width};
    drawing.replaceChildren();
    const view = await drawn(spec, drawing);
    view.tooltip(tip(drawing));
    view.addEventListener("click", (event, item) => {
      const place = item?.datum?.place;
      if (place === undefined) return;
      const choice = document.getElementById(`place-${place}`);
      if (choice) { choice.checked = true; choice.focus(); }
    });
    // Another tooltip begins the drawing anew.
    await view.resize().runAsync();
    drawing.view = view;
    drawing.drawnAt = drawing.clientWidth;
    drawing.classList.add("drawn");
  };

  const drawAll = (root, anew = false) => root.querySelectorAll("[data-chart]").forEach((one) => {
    if (anew || !one.view) { one.view ??= {finalize() {}}; draw(one); }
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll(document, true));
  let resizing;
  addEventListener("resize", () => {
    clearTimeout(resizing);
    resizing = setTimeout(() => document.querySelectorAll("[data-chart]").forEach((one) => {
      if (one.drawnAt !== one.clientWidth) draw(one);
    }), 150);
  });

  // --- mistakes at their fields ---------------------------------------------------------------
  const mark = () => {
    document.querySelectorAll('[aria-invalid="true"]').forEach((one) => one.removeAttribute("aria-invalid"));
    document.querySelectorAll(".field > .wrong").forEach((one) => one.remove());
    document.querySelectorAll("[data-field]").forEach((one) => {
      const name = `set/${one.dataset.field.split(".").map(encodeURIComponent).join("/")}`;
      document.getElementsByName(name).forEach((field) => {
        field.setAttribute("aria-invalid", "true");
        // All mistakes are told together as well, and announced there; on a narrow screen far away.
        const said = document.createElement("small");
        said.className = "wrong";
        said.setAttribute("aria-hidden", "true");
        said.textContent = one.textContent.trim();
        if (said.textContent) field.after(said);
      });
    });
  };

  // --- following someone ----------------------------------------------------------------------
  const follow = (course) => {
    const player = course.querySelector(".player");
    const frames = [...course.querySelectorAll(".frame")];
    if (!player || player.dataset.ready || frames.length < 1) return;
    player.dataset.ready = "yes";
    player.hidden = frames.length === 1;
    const seek = player.querySelector("[data-seek]");
    const play = player.querySelector("[data-play]");
    const now = player.querySelector("[data-now]");
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const rows = (frame) => [...frame.querySelectorAll(".beliefs li")];
    const widths = frames.map((frame) => rows(frame).map((row) => [...row.querySelectorAll(".fill, .mark")]
      .map((rect) => rect.getAttribute(rect.classList.contains("mark") ? "x" : "width"))));
    let timer = null, current = -1;
    const show = (place) => {
      const before = current < 0 ? place : current;
      current = place;
      frames.forEach((frame, index) => { frame.hidden = index !== place; });
      seek.value = String(place);
      now.textContent = frames[place].dataset.told;
      const set = (from) => rows(frames[place]).forEach((row, index) => [...row.querySelectorAll(".fill, .mark")]
        .forEach((rect, part) => {
          const width = widths[from][index]?.[part];
          if (width) rect.setAttribute(rect.classList.contains("mark") ? "x" : "width", width);
        }));
      if (still || before === place) { set(place); return; }
      set(before);
      frames[place].getBoundingClientRect();
      requestAnimationFrame(() => set(place));
    };
    const stop = () => { clearInterval(timer); timer = null; play.textContent = "Play"; };
    play.addEventListener("click", () => {
      if (timer) { stop(); return; }
      play.textContent = "Pause";
      show(current === frames.length - 1 ? 0 : current);
      timer = setInterval(() => {
        if (!course.isConnected || current === frames.length - 1) { stop(); return; }
        show(current + 1);
      }, 1400);
    });
    seek.addEventListener("input", () => { stop(); show(Number(seek.value)); });
    player.querySelectorAll("[data-step]").forEach((one) => one.addEventListener("click", () => {
      stop();
      show(Math.min(Math.max(current + Number(one.dataset.step), 0), frames.length - 1));
    }));
    show(0);
  };

  // --- work under way -------------------------------------------------------------------------
  // One question at a time, and none for a page that was left: an answer that comes late must
  // not replace what someone went on to.
  const parsed = async (path, kind) => {
    const answer = await fetch(path, {headers: {"HX-Request": "true", "HX-Request-Type": kind}});
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  };

  const arrive = async (job, path) => {
    const found = await parsed(path, "full");
    if (!job.isConnected) return;
    document.title = found.title;
    document.body.replaceChildren(...found.body.childNodes);
    htmx.process(document.body);
    awaken();
  };

  const watchJob = (job) => {
    if (job.watched) return;
    job.watched = true;
    const look = async () => {
      if (!job.isConnected) return;
      let pause = 500;
      try {
        const part = (await parsed(job.dataset.poll, "partial")).getElementById("job");
        if (!job.isConnected) return;
        if (!part?.dataset.poll) { await arrive(job, job.dataset.page); return; }
        job.querySelector("progress").value = part.querySelector("progress").value;
        job.querySelector(".step").replaceChildren(...part.querySelector(".step").childNodes);
        const [button, told] = [job, part].map((one) => one.querySelector("button"));
        button.disabled = told.disabled;
        button.textContent = told.textContent;
      } catch { pause = 2000; }
      setTimeout(look, pause);
    };
    setTimeout(look, 300);
  };

  // --- everything else ------------------------------------------------------------------------
  document.addEventListener("click", async (event) => {
    const copied = event.target.closest("[data-copy]");
    if (copied) {
      try {
        await navigator.clipboard.writeText(copied.dataset.copy);
        copied.textContent = "Copied";
      } catch { copied.textContent = "Select it and copy"; }
      setTimeout(() => { copied.textContent = "Copy"; }, 1600);
    }
    if (event.target.closest("[data-back]")) history.back();
  });
  document.addEventListener("input", (event) => {
    if (event.target.id === "respondent") {
      const choice = document.getElementById("whom-id");
      if (choice) choice.checked = true;
    }
  });

  function awaken() {
    drawAll(document);
    mark();
    document.querySelectorAll("#course").forEach(follow);
    document.querySelectorAll("[data-poll]").forEach(watchJob);
  }
  document.addEventListener("htmx:after:swap", awaken);
  document.addEventListener("htmx:after:settle", awaken);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", awaken); else awaken();
})();
