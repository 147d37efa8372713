package markdown

import (
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// escape makes a foreign text harmless in a paragraph or a table's cell.
func escape(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "$", `\$`, "#", `\#`,
	).Replace(block.Printable(s))
}

// code writes a short text as code, its backticks made straight quotes.
func code(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(block.Printable(s), "`", "'"), "|", `\|`)
	if s == "" {
		return "n/a"
	}
	return "`" + s + "`"
}
