// Shows moments in the time of the reader's clock, and keeps "3 h ago" true.
"use strict";
(() => {
  const local = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  const whole = new Intl.DateTimeFormat(undefined, { dateStyle: "full", timeStyle: "long" });
  const steps = [[60, "s", 1], [3600, "min", 60], [86400, "h", 3600], [Infinity, "d", 86400]];

  const ago = (then) => {
    const passed = (Date.now() - then) / 1000;
    if (passed < 60) return "just now";
    const [, unit, size] = steps.find(([limit]) => passed < limit);
    return `${Math.floor(passed / size)} ${unit} ago`;
  };

  const show = () => {
    for (const one of document.querySelectorAll("time[datetime]")) {
      const then = new Date(one.dateTime);
      one.title = whole.format(then);
      const text = one.dataset.shown === "ago" ? ago(then) : local.format(then);
      if (one.textContent !== text) one.textContent = text;
    }
  };

  show();
  setInterval(show, 30000);
  document.addEventListener("heal:updated", show);
})();
