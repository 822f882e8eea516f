// Keeps an open page up to date: hears marks, and changes what the newly rendered page shows differently. All else
// stays: the focus, what was typed and chosen, what is unfolded, how far it is scrolled.
"use strict";
(() => {
  const region = document.getElementById("live");
  const news = document.getElementById("news");
  if (!region || !region.dataset.live || !window.EventSource) return;
  let seen = null;
  let waiting = false;
  let missed = false; // a mark that came while the page for an earlier one was on its way
  const source = new EventSource(region.dataset.live);

  // A choice or a reason that was begun is about the fixes as they are shown, and a selection may be about to be copied.
  const busy = () => [...region.querySelectorAll(".asks input[name=why], input[name=fix]")]
    .some((one) => one.checked || (one.name === "why" && one.value)) || String(document.getSelection()) !== "";

  // What makes an element the same one in both pages. A button that does something else is another button.
  const IDENTITY = ["id", "class", "aria-label", "aria-labelledby", "href", "name", "value"];
  const sameness = (one) => one.nodeType !== Node.ELEMENT_NODE ? one.nodeName
    : [one.nodeName, one.dataset.key || IDENTITY.map((name) => one.getAttribute(name))].join("\n");
  const OWN = ["open", "tabindex"]; // of the person who unfolded it, and of `keepPlace`

  const morph = (old, fresh) => {
    if (old.nodeType !== Node.ELEMENT_NODE) {
      if (old.data !== fresh.data) old.data = fresh.data;
      return;
    }
    if (old.nodeName === "TIME" && old.dateTime === fresh.dateTime) return; // times.js has put it in local words
    for (const { name } of [...old.attributes]) {
      if (!fresh.hasAttribute(name) && !OWN.includes(name)) old.removeAttribute(name);
    }
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    const known = new Map();
    for (const one of old.childNodes) {
      if (!known.has(sameness(one))) known.set(sameness(one), []);
      known.get(sameness(one)).push(one);
    }
    const pairs = [...fresh.childNodes].map((one) => [known.get(sameness(one))?.shift(), one]);
    for (const left of known.values()) left.forEach((one) => one.remove()); // first, so that what follows needs no move
    let at = old.firstChild;
    for (const [same, one] of pairs) {
      if (same) morph(same, one);
      if (same && same === at) at = at.nextSibling;
      else old.insertBefore(same || one, at);
    }
  };

  // Gives the focus back to what had it, or to what was around that where it is gone.
  const keepPlace = (change) => {
    const path = [];
    for (let one = document.activeElement; one && region.contains(one); one = one.parentElement) path.push(one);
    change();
    const place = path.find((one) => one.isConnected);
    if (!place || place === document.activeElement) return;
    if (place !== path[0]) place.tabIndex = -1;
    place.focus({ preventScroll: true });
  };

  const tell = () => { news.textContent = "Something changed: reload to see it."; };
  const refresh = async () => {
    missed = waiting;
    if (waiting) return;
    if (busy()) return tell();
    waiting = true;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok || new URL(answer.url).pathname !== location.pathname) { source.close(); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.getElementById("live");
      if (!fresh) return;
      if (busy()) return tell();
      keepPlace(() => morph(region, fresh));
      document.dispatchEvent(new Event("heal:updated"));
      news.textContent = "Updated just now.";
      if (!region.dataset.live) source.close();
    } finally {
      waiting = false;
      if (missed) refresh();
    }
  };

  source.addEventListener("mark", (event) => {
    const changed = seen !== null && seen !== event.data;
    seen = event.data;
    if (changed) refresh();
  });
})();
