/** The page of `crs-eval live`: its one view, and the key. */

import { setKey } from "./summary.ts";
import { LiveView } from "./view.ts";

const view = new LiveView();
document.getElementById("main")?.append(view.element);
const key = document.getElementById("key") as HTMLInputElement;
key.addEventListener("input", () => setKey(key.value));
key.addEventListener("change", () => void view.look());
key.form?.addEventListener("submit", (event) => {
  event.preventDefault();
  void view.look();
});
void view.follow();
