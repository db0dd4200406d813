import { render } from "preact";
import { App } from "./app";
import { unpack } from "./document";
import { Dump } from "./dump";
import "./style.css";
import { applyTheme, rememberedTheme } from "./theme";

const place = document.getElementById("page") as HTMLElement;
applyTheme(rememberedTheme());
try {
  const data = document.getElementById("data") as HTMLElement;
  const documents = await unpack(data.textContent.trim());
  data.remove();
  place.replaceChildren();
  render(<App all={new Dump(documents.page)} documents={documents} />, place);
} catch (error) {
  place.textContent = `This page can't be shown: ${String(error)}`;
}
