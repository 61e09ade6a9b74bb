// Writes vega.js and the licences of all that is in it into seriatim/report/assets.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const target = process.argv[2];
const made = await build({
  entryPoints: ["entry.js"],
  outfile: join(target, "vega.js"),
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  charset: "ascii",
  legalComments: "none",
  metafile: true,
  banner: { js: "/* Vega and Vega-Lite, bundled; licences in vega.LICENSES.txt */" },
});

const inside = Object.keys(made.metafile.inputs)
  .map((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)\//))
  .filter(Boolean)
  .map((found) => found[1]);
const told = [...new Set(inside)].sort().map((name) => {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} has no licence file`);
  const text = readFileSync(join(folder, file), "utf8").trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
});
if (!existsSync(join(target, "vega.js"))) throw new Error("no bundle was made");
writeFileSync(
  join(target, "vega.LICENSES.txt"),
  "vega.js contains these libraries, unchanged but for bundling.\n\n" +
    told.join("\n" + "-".repeat(79) + "\n\n"),
);
