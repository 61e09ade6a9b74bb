"use strict";
// Draws the charts of a page, by day and by night, and saves them. Everything is in the page.
(() => {
  const WIDEST = 960;
  const NARROW = 560;
  const ROW = 22;
  const night = matchMedia("(prefers-color-scheme: dark)");
  const main = document.querySelector("main");
  const charts = [...document.querySelectorAll("figure[data-chart]")].map((figure) => ({
    figure,
    specs: JSON.parse(figure.querySelector('script[type="application/json"]').textContent),
    views: {},
  }));
  const width = () => Math.min(main.clientWidth, WIDEST);

  const named = (part) => {
    if (!part || typeof part !== "object") return 0;
    const own = part.color?.scale?.domain?.length ?? 0;
    return Math.max(own, ...Object.values(part).map(named));
  };

  // On a narrow screen the names of a legend stand one below the other, in room of their own.
  function fitted(spec) {
    const fit = (part) => {
      if (!part || typeof part !== "object") return part;
      if (Array.isArray(part)) return part.map(fit);
      const found = Object.fromEntries(Object.entries(part).map(([key, one]) => [key, fit(one)]));
      if (found.legend) found.legend.columns = 1;
      return found;
    };
    if (width() >= NARROW) return { ...spec, width: width() };
    const room = ROW * named([spec.layer, spec.encoding]);
    return { ...fit(spec), width: width(), height: spec.height + room };
  }

  async function draw(chart, light) {
    if (chart.views[light]) return;
    chart.views[light] = "drawing";
    const place = chart.figure.querySelector(`.drawing.${light}`);
    chart.views[light] = await window.drawVegaLite(fitted(chart.specs[light]), place);
  }

  async function drawAll() {
    for (const chart of charts) {
      try {
        // By day always: it is what is printed.
        if (night.matches) await draw(chart, "dark");
        await draw(chart, "light");
        chart.figure.querySelectorAll("[data-save]").forEach((one) => (one.hidden = false));
      } catch (error) {
        // One that cannot be drawn must not keep the others from it; its table is there.
        console.error(error);
      }
    }
    document.documentElement.dataset.drawn = String(charts.length);
  }

  async function save(chart, kind) {
    // As printed: by day, on white, whatever the page looks like now.
    const view = await chart.views.light.background("white").runAsync();
    const link = document.createElement("a");
    link.download = `${chart.figure.dataset.chart}.${kind}`;
    link.href = await view.toImageURL(kind, kind === "png" ? 2 : 1);
    link.click();
    await view.background(null).runAsync();
  }

  charts.forEach((chart) =>
    chart.figure.querySelectorAll("[data-save]").forEach((one) =>
      one.addEventListener("click", () => save(chart, one.dataset.save)),
    ),
  );

  let waiting = 0;
  let last = width();
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (width() === last) return;
      last = width();
      charts
        .flatMap((chart) => Object.values(chart.views))
        .filter((view) => view.width)
        .forEach((view) => view.width(last).runAsync());
    }, 150);
  });
  night.addEventListener("change", drawAll);

  const reveal = () => {
    const part = location.hash && document.getElementById(location.hash.slice(1));
    if (part && part.tagName === "DETAILS") part.open = true;
  };
  window.addEventListener("hashchange", reveal);
  reveal();

  // Paper cannot be unfolded.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details.part:not([open])")];
    folded.forEach((part) => (part.open = true));
  });
  window.addEventListener("afterprint", () => folded.forEach((part) => (part.open = false)));

  drawAll();
})();
