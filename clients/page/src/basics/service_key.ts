/** The field for the service's key, at the top of every page that asks the service. */

const field = () => document.getElementById("key") as HTMLInputElement;
const box = () => field().closest("details") as HTMLDetailsElement;

/** Watch the field: `keep` gets each text that is typed, as a header carries it, and `given` is called once somebody is done. */
export function watchServiceKey(keep: (key: string) => void, given: () => void) {
  const close = () => {
    if (!box().open) return;
    box().open = false;
    box().querySelector("summary")?.focus();
  };
  field().addEventListener("input", () => keep(inHeader(field().value.trim())));
  field().addEventListener("change", given);
  field().form?.addEventListener("submit", (event) => {
    event.preventDefault();
    given();
    close();
  });
  box().addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
  document.addEventListener("pointerdown", ({ target }) => { if (!box().contains(target as Node)) box().open = false; });
}

/** Open the field and move the focus there. */
export function askServiceKey() {
  box().open = true;
  field().focus();
}

/** What a refusal for want of a key means for somebody who sees the field. */
export function keyText(): string {
  return field().value.trim() ? "This service does not know the key under Service key." : "This service asks for a key: give it under Service key, at the top.";
}

/** The bytes of UTF-8, a character each: a browser sends no others in a header, and breaks on the text itself. */
function inHeader(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
