// The entry: shows the theme, then the page.

import { createRoot } from "react-dom/client";

import { showTheme } from "./theme";
import { App } from "./view/app";

showTheme();
const place = document.getElementById("page");
if (place) createRoot(place).render(<App />);
