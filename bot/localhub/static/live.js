// Keeps an open page fresh: asks for the repository's pulse, and takes the new page over where nobody is at work on it.
// Without this script everything works; one reloads by hand.
"use strict";
(() => {
  const PAUSE = 1000;
  let main = document.getElementById("main");
  const news = document.getElementById("news");
  const address = main && main.dataset.pulse;
  if (!address || document.querySelector(".alert")) return;
  let known = null;

  const typed = () => [...main.querySelectorAll("textarea")].some((box) => box.value !== box.defaultValue || box === document.activeElement);
  const chosen = () => [...main.querySelectorAll("input[type=checkbox]")].some((box) => box.checked);
  const unfolded = () => [...main.querySelectorAll("details")].some((one) => one.open !== one.hasAttribute("data-open-now"));
  const busy = () => typed() || chosen() || unfolded() || main.contains(document.activeElement);

  const remember = () => main.querySelectorAll("details[open]").forEach((one) => one.setAttribute("data-open-now", ""));

  async function take() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (busy()) return show();
    const next = document.importNode(fresh.getElementById("main"), true);
    main.replaceWith(next);
    main = next;
    document.title = fresh.title;
    remember();
  }
  function show() {
    news.hidden = false;
  }
  async function look() {
    try {
      const answer = await fetch(address);
      const word = answer.ok ? await answer.text() : known;
      if (known !== null && word !== known) await (busy() ? show() : take());
      known = word;
    } catch {
      // the local GitHub is gone or restarting: ask again
    }
    setTimeout(look, PAUSE);
  }
  remember();
  look();
})();
