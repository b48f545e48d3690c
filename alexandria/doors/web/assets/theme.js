// Before the page is drawn: the colours that the reader has chosen.
"use strict";
const chosen = localStorage.getItem("theme");
if (chosen) document.documentElement.dataset.theme = chosen;
