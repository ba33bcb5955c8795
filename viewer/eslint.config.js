import js from "@eslint/js";
import globals from "globals";

const asText = "Names of a robot are foreign text: set textContent, or make elements.";

export default [
  { ignores: ["node_modules/"] },
  js.configs.recommended,
  {
    files: ["src/**/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-script-url": "error",
      "no-restricted-properties": [
        "error",
        ...["innerHTML", "outerHTML", "insertAdjacentHTML", "setHTMLUnsafe"].map((property) => ({
          property,
          message: asText,
        })),
        { object: "document", property: "write", message: asText },
      ],
    },
  },
];
