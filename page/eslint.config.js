import tseslint from "typescript-eslint";

export default tseslint.config(
  { ignores: ["node_modules", "page.html"] },
  ...tseslint.configs.recommended,
  {
    rules: {
      // Names of the input may only become text.
      "no-restricted-properties": [
        "error",
        { property: "innerHTML" },
        { property: "outerHTML" },
        { property: "insertAdjacentHTML" },
        { object: "document", property: "write" },
      ],
      "no-restricted-syntax": ["error", { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "Names may only become text." }],
      "no-eval": "error",
      "no-new-func": "error",
    },
  },
);
