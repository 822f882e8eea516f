// Lighthouse on each page in each theme and at each width, in one Chrome a theme. Reads {chrome, flags, categories,
// themes, pages: [{name, url, cookie}]} on stdin; prints a JSON list of {page, theme, width, scores, failed, error}.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.argv[2], "package.json"));
const { default: lighthouse, desktopConfig } = await import(pathToFileURL(require.resolve("lighthouse")));
const { launch } = await import(pathToFileURL(require.resolve("chrome-launcher")));
const asked = JSON.parse(await new Response(process.stdin).text());
const THEMES = { dark: 0, light: 1 }; // as Chrome numbers what a page reads as `prefers-color-scheme`
const WIDTHS = { 390: { width: 390, height: 844, deviceScaleFactor: 2, mobile: true }, 1280: { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false } };
// Speed is judged on a slow phone's line; everything else is the same on any line, and sooner known on this one.
const line = asked.categories.includes("performance") ? {} : { throttlingMethod: "provided", maxWaitForLoad: 15000 };
const measured = [];
for (const theme of asked.themes) {
  const chromeFlags = ["--headless=new", `--blink-settings=preferredColorScheme=${THEMES[theme]}`, ...asked.flags];
  const chrome = await launch({ chromePath: asked.chrome, chromeFlags, logLevel: "silent" });
  for (const page of asked.pages) {
    for (const [width, screenEmulation] of Object.entries(WIDTHS)) {
      const flags = { port: chrome.port, disableFullPageScreenshot: true, logLevel: "silent", onlyCategories: asked.categories, screenEmulation, extraHeaders: page.cookie ? { Cookie: page.cookie } : {}, ignoreStatusCode: true, ...line };
      let lhr;
      for (let attempt = 0; attempt < 4; attempt += 1) { // now and then Chrome records no start of the navigation
        ({ lhr } = await lighthouse(page.url, flags, screenEmulation.mobile ? undefined : desktopConfig));
        if (!lhr.runtimeError) break;
      }
      const scores = Object.fromEntries(Object.entries(lhr.categories).map(([id, one]) => [id, one.score === null ? null : Math.round(100 * one.score)]));
      if (lhr.runtimeError) for (const id of ["performance", "best-practices"]) if (id in scores) scores[id] = null; // nothing was recorded
      const failed = Object.values(lhr.categories).flatMap((category) => category.auditRefs)
        .filter((ref) => ref.weight > 0 && lhr.audits[ref.id].score !== null && lhr.audits[ref.id].score < 0.9)
        .map((ref) => `${ref.id}: ${(lhr.audits[ref.id].details?.items ?? []).slice(0, 2).map((item) => item.node?.snippet ?? item.description ?? item.source ?? "").join(" ").slice(0, 200)}`);
      measured.push({ page: page.name, theme, width: Number(width), scores, failed, error: lhr.runtimeError?.message ?? "" });
    }
  }
  await chrome.kill();
}
console.log(JSON.stringify(measured));
