/** A box to look for functions by a part of their names. */
export function FunctionSearch(props: { label: string; hint: string; text: string; change: (text: string) => void }) {
  return (
    <input
      type="search"
      aria-label={props.label}
      placeholder={props.hint}
      value={props.text}
      onInput={(event) => props.change(event.currentTarget.value)}
    />
  );
}
