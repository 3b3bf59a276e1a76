// Names and texts of an input on one line: `customer_id C-10482 · erase_orders true`. They have no quotes unless they
// could be mistaken for something else. The terminal quotes by the same rule (`crates/sekisho/src/input_fields.rs`).

/** Not a list, another text in quotes, a text that was cut, the next field, or the next item of a list. */
const OTHER = /^[ "[{]|[ …]$|, |\p{Cc}|[·\u0387•‧∙⋅⸱・･\u16eb]|^\(.*\)$|^（.*）$/su;
/** Texts that read like another kind of value. */
const VALUE = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;

function isPlain(text: string): boolean {
  return text !== '' && !OTHER.test(text) && !VALUE.test(text);
}

/** A text, in quotes if it could be mistaken for something else. */
export function textValue(text: string): string {
  return isPlain(text) ? text : JSON.stringify(text);
}

/** The name of a field. A blank would end it, and a dot would name a field inside another. */
export function fieldName(name: string): string {
  return isPlain(name) && !/[ .]/.test(name) ? name : JSON.stringify(name);
}
