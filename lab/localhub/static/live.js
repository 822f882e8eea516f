// Keeps an open page fresh: asks for the repository's pulse, and takes the new page over where nobody is at work on it.
// A guided tour on the page is taken over too, and scrolls to the place that it speaks of.
// Without this script everything works; one reloads by hand.
"use strict";
(() => {
  const PAUSE = 1000;
  const TOUR_PARTS = ["tour-progress", "tour-happened", "tour-step"];
  let main = document.getElementById("main");
  const news = document.getElementById("news");
  const tour = document.getElementById("tour");
  const address = main && main.dataset.pulse;
  let known = main && main.dataset.known;

  const typed = () => [...main.querySelectorAll("textarea")].some((box) => box.value !== box.defaultValue || box === document.activeElement);
  const chosen = () => [...main.querySelectorAll("input[type=checkbox]")].some((box) => box.checked);
  const unfolded = () => [...main.querySelectorAll("details")].some((one) => one.open !== one.hasAttribute("data-open-now"));
  const busy = () => typed() || chosen() || unfolded() || main.contains(document.activeElement);

  const remember = () => main.querySelectorAll("details").forEach((one) => one.toggleAttribute("data-open-now", one.open));

  // What is folded away has no place to scroll to.
  function unfold(id) {
    const place = id && document.getElementById(id);
    for (let fold = place && place.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    remember();
    return place;
  }
  const show = (id) => unfold(id)?.scrollIntoView({ block: "start" });

  function takeTour(fresh) {
    const next = fresh.getElementById("tour");
    if (!tour || !next) return;
    const focused = tour.contains(document.activeElement) && document.activeElement.matches("a, button");
    for (const id of TOUR_PARTS) {
      const part = document.getElementById(id);
      const word = fresh.getElementById(id);
      if (part.innerHTML !== word.innerHTML) part.replaceChildren(...document.importNode(word, true).childNodes);
    }
    if (focused && document.activeElement === document.body) tour.querySelector("#tour-step button, #tour-step a")?.focus({ preventScroll: true });
    if (tour.dataset.place === next.dataset.place) return void unfold(next.dataset.place);
    tour.dataset.place = next.dataset.place;
    show(next.dataset.place);
  }
  async function take() {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
    if (!answer.ok) return;
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (busy()) return tell();
    const next = document.importNode(fresh.getElementById("main"), true);
    main.replaceWith(next);
    main = next;
    document.title = fresh.title;
    remember();
    takeTour(fresh);
  }
  function tell() {
    news.hidden = false;
  }
  async function look() {
    try {
      const answer = await fetch(address);
      const word = answer.ok ? await answer.text() : known;
      if (word !== known) await (busy() ? tell() : take());
      known = word;
    } catch {
      // the local GitHub is gone or restarting: ask again
    }
    setTimeout(look, PAUSE);
  }
  addEventListener("hashchange", () => show(location.hash.slice(1)));
  if (location.hash) show(location.hash.slice(1));
  if (!address || document.querySelector(".alert")) return;
  remember();
  look();
})();
