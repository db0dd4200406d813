/** `file:line`; a link to its source where that is known, which opens beside the page. */
export function PlaceLink({ text, module, source }: { text: string; module?: string; source?: string }) {
  if (source === undefined || !source.startsWith("https://")) {
    return (
      <code class="place" title={module}>
        {text}
      </code>
    );
  }
  return (
    <a class="place" href={source} title={module} target="_blank" rel="noreferrer noopener">
      <code>{text}</code>
    </a>
  );
}
