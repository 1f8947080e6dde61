/** The page of `crs-eval live`: its one view, and the key. */

import { watchServiceKey } from "../basics/service_key.ts";
import { setKey } from "./summary.ts";
import { LiveView } from "./view.ts";

const view = new LiveView();
document.getElementById("main")?.append(view.element);
watchServiceKey(setKey, () => void view.look());
void view.follow();
