// Search as you type, copy buttons and keys. Without this script, every page and the search work as well.
"use strict";

const root = document.body.dataset.root;
const form = document.getElementById("search");
const field = document.getElementById("q");
// Only pages of this site, which its server has escaped, are parsed; the policy forbids every other use.
const policy = window.trustedTypes
  ? trustedTypes.createPolicy("pages", { createHTML: (text) => text })
  : { createHTML: (text) => text };
const liveHere = document.body.querySelector(".shelf, .hits, .status") !== null;
let busy = false;
let waiting = false;
let shown = null;

function addressOf() {
  const values = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    if (value.trim()) values.set(name, value);
  }
  const text = values.toString();
  return values.has("q") ? `${root}search?${text}` : root;
}

async function show() {
  const address = addressOf();
  if (address === shown) return; // leaving the field is a change too, and must not take the focus from a hit
  shown = address;
  const response = await fetch(address);
  const page = new DOMParser().parseFromString(policy.createHTML(await response.text()), "text/html");
  const main = page.getElementById("main");
  if (!main) return;
  document.getElementById("main").replaceChildren(...main.childNodes);
  document.title = page.title;
  history.replaceState(null, "", address);
  revealButtons();
}

// One request at a time: the first key is answered at once, and of those typed meanwhile, the last.
async function typed() {
  waiting = true;
  if (busy) return;
  busy = true;
  try {
    while (waiting) {
      waiting = false;
      await show();
    }
  } finally {
    busy = false;
  }
}

function revealButtons() {
  for (const button of document.querySelectorAll("button.copy")) button.hidden = false;
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button.copy");
  if (!button) return;
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(button.dataset.text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed: select the text";
  }
  setTimeout(() => { button.textContent = label; }, 1500);
});

if (liveHere) {
  field.addEventListener("input", typed);
  form.addEventListener("change", typed);
  form.addEventListener("submit", (event) => { event.preventDefault(); typed(); });
}

const single = document.getElementById("single-keys");
single.closest(".keys").hidden = false;
single.checked = localStorage.getItem("single-keys") !== "off";
single.addEventListener("change", () => localStorage.setItem("single-keys", single.checked ? "on" : "off"));

function go(id) {
  document.getElementById(id)?.click();
}

function stepHits(by) {
  const hits = [...document.querySelectorAll("a.hit")];
  if (!hits.length) return false;
  const at = hits.indexOf(document.activeElement) + by;
  hits[Math.max(0, Math.min(at, hits.length - 1))].focus();
  return true;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const inField = event.target.matches("input, select, textarea");
  if (inField) {
    if (event.key === "ArrowDown" && event.target === field && stepHits(1)) event.preventDefault();
    return;
  }
  if (!single.checked) return;
  if (event.key === "/") { event.preventDefault(); field.focus(); field.select(); }
  else if (event.key === "n") { if (!stepHits(1)) go(document.getElementById("hit-next") ? "hit-next" : "later"); }
  else if (event.key === "p") { if (!stepHits(-1)) go(document.getElementById("hit-previous") ? "hit-previous" : "earlier"); }
});

revealButtons();
