import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";

/** Makes page.html: the built script and style inside index.html, and a policy that allows only them. */
function onePage(): Plugin {
  return {
    name: "one-page",
    apply: "build",
    enforce: "post",
    writeBundle(options, bundle) {
      const folder = options.dir ?? "dist";
      let script = "";
      let style = "";
      for (const part of Object.values(bundle)) {
        if (part.type === "chunk") script += part.code;
        else if (part.fileName.endsWith(".css")) style += String(part.source);
      }
      // The only ways in which a script's text can end the element that holds it.
      script = script.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
      const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
      const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'; form-action 'none'`;
      const page = readFileSync(join(import.meta.dirname, "index.html"), "utf8")
        .replace("<!--csp-->", () => `<meta http-equiv="Content-Security-Policy" content="${policy}" />`)
        .replace("<!--style-->", () => `<style>${style}</style>`)
        .replace(/<script type="module".*<\/script>/, () => `<script type="module">${script}</script>`);
      writeFileSync(join(import.meta.dirname, "page.html"), page);
      rmSync(folder, { recursive: true });
    },
  };
}

export default defineConfig({
  plugins: [onePage()],
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: { target: "es2022", cssCodeSplit: false, modulePreload: false, assetsInlineLimit: 0 },
  test: {
    projects: [
      { extends: true, test: { name: "unit", include: ["tests/unit/*.test.ts"] } },
      {
        extends: true,
        test: { name: "browser", include: ["tests/browser/*.test.ts"], testTimeout: 30_000, fileParallelism: false },
      },
    ],
  },
});
