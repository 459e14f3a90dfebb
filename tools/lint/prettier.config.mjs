// Markdown: prose is wrapped at 100 columns. Tables stay as they are written: Prettier would pad
// every cell to the widest one of its column, which makes lines of 300 columns here.
import * as markdown from "prettier/plugins/markdown";

const { mdast } = markdown.printers;
const isTable = (path) => path.node.type === "table";
const source = (path, { originalText, locStart, locEnd }) =>
  originalText.slice(locStart(path.node), locEnd(path.node));

export default {
  embeddedLanguageFormatting: "off",
  plugins: [
    {
      parsers: { markdown: { ...markdown.parsers.markdown, astFormat: "verbatim-tables" } },
      printers: {
        "verbatim-tables": {
          ...mdast,
          print: (path, options, print, args) =>
            isTable(path) ? source(path, options) : mdast.print(path, options, print, args),
        },
      },
    },
  ],
  printWidth: 100,
  proseWrap: "always",
};
