// Search as you type, copy buttons and keys. Without this script, every page and the search work as well.
"use strict";

const root = document.body.dataset.root;
const form = document.getElementById("search");
const field = document.getElementById("q");
// Only pages of this site, which its server has escaped, are parsed; the policy forbids every other use.
const policy = window.trustedTypes
  ? trustedTypes.createPolicy("pages", { createHTML: (text) => text })
  : { createHTML: (text) => text };
const liveHere = document.body.querySelector(".shelf, .hits, .status") !== null && !form.action.endsWith("find");
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

// What is remarked about half a word would flicker.
let pause = 0;

function hideRemarks() {
  document.body.classList.add("typing");
  clearTimeout(pause);
  pause = setTimeout(() => document.body.classList.remove("typing"), 700);
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

// With italics where the program that it is pasted into has them.
async function copy({ text, html }) {
  if (!html || !window.ClipboardItem) return navigator.clipboard.writeText(text);
  const as = (type, content) => [type, new Blob([content], { type })];
  return navigator.clipboard.write([
    new ClipboardItem(Object.fromEntries([as("text/plain", text), as("text/html", html)])),
  ]);
}

document.addEventListener("click", async (event) => {
  const button = event.target.closest?.("button.copy");
  if (!button) return;
  const label = button.textContent;
  try {
    await copy(button.dataset);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Not allowed: select the text";
  }
  setTimeout(() => { button.textContent = label; }, 1500);
});

if (liveHere) {
  field.addEventListener("input", hideRemarks);
  field.addEventListener("input", typed);
  form.addEventListener("change", typed);
  form.addEventListener("submit", (event) => {
    if (event.submitter?.formAction.endsWith("find")) return;
    event.preventDefault();
    typed();
  });
}

const THEMES = { "": ["◐", "as the system"], light: ["☀", "light"], dark: ["☾", "dark"] };
const theme = document.getElementById("theme");

function setTheme(name) {
  if (name) { document.documentElement.dataset.theme = name; localStorage.setItem("theme", name); }
  else { delete document.documentElement.dataset.theme; localStorage.removeItem("theme"); }
  theme.textContent = THEMES[name][0];
  theme.setAttribute("aria-label", `Colours: ${THEMES[name][1]}`);
}

setTheme(document.documentElement.dataset.theme ?? "");
theme.hidden = false;
theme.addEventListener("click", () => {
  const names = Object.keys(THEMES), at = names.indexOf(document.documentElement.dataset.theme ?? "");
  setTheme(names[(at + 1) % names.length]);
});

const cuts = document.getElementById("show-cuts");
if (cuts) {
  cuts.checked = localStorage.getItem("cuts") === "shown";
  cuts.addEventListener("change", () => localStorage.setItem("cuts", cuts.checked ? "shown" : "hidden"));
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
  if (event.key === "?") document.getElementById("keys").showModal();
  else if (event.key === "/") { event.preventDefault(); field.focus(); field.select(); }
  else if (event.key === "n") { if (!stepHits(1)) go(document.getElementById("hit-next") ? "hit-next" : "later"); }
  else if (event.key === "p") { if (!stepHits(-1)) go(document.getElementById("hit-previous") ? "hit-previous" : "earlier"); }
});

revealButtons();
