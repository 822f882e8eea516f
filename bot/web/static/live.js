// Keeps an open page up to date: hears marks, and puts the newly rendered part in the old one's place.
"use strict";
(() => {
  const region = () => document.getElementById("live");
  const news = document.getElementById("news");
  const start = region();
  if (!start || !start.dataset.live || !window.EventSource) return;
  let seen = null;
  let waiting = false;
  const source = new EventSource(start.dataset.live);

  const busy = () => {
    const at = document.activeElement;
    const typing = at && region().contains(at) && at.matches("input, select, textarea");
    const begun = [...region().querySelectorAll(".asks input[name=why], input[name=fix]")]
      .some((one) => one.checked || (one.name === "why" && one.value));
    return typing || begun || String(document.getSelection()) !== "";
  };

  const refresh = async () => {
    if (waiting) return;
    if (busy()) { news.textContent = "Something changed: reload to see it."; return; }
    waiting = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok || new URL(answer.url).pathname !== location.pathname) { source.close(); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("live");
      if (!fresh || busy()) return;
      const open = [...region().querySelectorAll("details")].map((one) => one.open);
      const focus = document.activeElement && document.activeElement.getAttribute("href");
      fresh.querySelectorAll("details").forEach((one, at) => { if (open[at]) one.open = true; });
      region().replaceWith(fresh);
      document.dispatchEvent(new Event("heal:updated"));
      if (focus) { const same = fresh.querySelector(`a[href="${CSS.escape(focus)}"]`); if (same) same.focus(); }
      news.textContent = "Updated just now.";
      if (!fresh.dataset.live) source.close();
    } finally {
      waiting = false;
    }
  };

  source.addEventListener("mark", (event) => {
    const changed = seen !== null && seen !== event.data;
    seen = event.data;
    if (changed) refresh();
  });
})();
