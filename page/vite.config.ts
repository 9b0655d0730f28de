// How the page is built: hashed names under assets/, nothing inline, so that a strict content policy holds.

import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: {
    // Inlined assets would be data: URLs, which the policy refuses for everything but images.
    assetsInlineLimit: 0,
    // The polyfill would be an inline script.
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
  },
});
