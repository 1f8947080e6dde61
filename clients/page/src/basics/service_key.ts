/** The field for the service's key, at the top of every page that asks the service. */

const field = () => document.getElementById("key") as HTMLInputElement;

/** Watch the field: `keep` gets each text that is typed, as a header carries it, and `given` is called once somebody is done. */
export function watchServiceKey(keep: (key: string) => void, given: () => void) {
  field().addEventListener("input", () => keep(inHeader(field().value.trim())));
  field().addEventListener("change", given);
  field().form?.addEventListener("submit", (event) => {
    event.preventDefault();
    given();
  });
}

/** Open the field and move the focus there. */
export function askServiceKey() {
  field().closest("details")?.setAttribute("open", "");
  field().focus();
}

/** The bytes of UTF-8, a character each: a browser sends no others in a header, and breaks on the text itself. */
function inHeader(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text));
}
