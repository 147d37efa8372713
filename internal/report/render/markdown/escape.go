package markdown

import (
	"regexp"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// escape makes a foreign text harmless in a paragraph or a table's cell.
func escape(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "|", `\|`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`,
		"<", "&lt;", ">", "&gt;", "&", "&amp;", "~", `\~`, "$", `\$`, "#", `\#`, apart, "&#8203;",
	).Replace(unlinked(block.Printable(s)))
}

// apart is a space of no width, which no printable text has. Forges look for mentions, addresses and
// emoji in the text that a reader sees, so that a backslash does not hide them.
const apart = "\u200b"

// unlinked takes apart what a forge makes something of. A name as eupf@old:native stays whole: what is
// before its @ is a word, and no host's name is behind.
func unlinked(s string) string {
	s = commit.ReplaceAllString(s, "$1"+apart+"$2")
	var out strings.Builder
	for i := range len(s) {
		out.WriteByte(s[i])
		if links(s[:i], s[i], s[i+1:]) {
			out.WriteString(apart)
		}
	}
	return out.String()
}

var (
	name      = regexp.MustCompile(`^[A-Za-z0-9_]`)
	hostName  = regexp.MustCompile(`^[^\s:/@]*\.`)
	wordEnd   = regexp.MustCompile(`[A-Za-z0-9_]$`)
	emojiName = regexp.MustCompile(`:[A-Za-z0-9_+-]+$`)
	clock     = regexp.MustCompile(`:[0-9]{1,2}$`) // of 12:34:56
	issue     = regexp.MustCompile(`(?i)(^|[^a-z0-9])gh$`)
	commit    = regexp.MustCompile(`(?i)\b([0-9a-f]{20})([0-9a-f]{20})\b`)
)

// links reports whether a mention, an address, an emoji or the number of an issue goes on behind c.
func links(before string, c byte, after string) bool {
	last := before[max(0, len(before)-1):]
	switch {
	case c == '@':
		return name.MatchString(after) && (hostName.MatchString(after) || !wordEnd.MatchString(last))
	case c == ':':
		return strings.HasPrefix(after, "//")
	case c == '-': // GH-12
		return issue.MatchString(before) && after != "" && after[0] >= '0' && after[0] <= '9'
	case c == '#':
		return after != "" && after[0] >= '0' && after[0] <= '9'
	case c == '.':
		return len(before) >= 3 && strings.EqualFold(before[len(before)-3:], "www")
	case strings.HasPrefix(after, ":"):
		so := before[max(0, len(before)-longestEmoji):] + string(rune(c))
		return emojiName.MatchString(so) && !clock.MatchString(so)
	}
	return false
}

// longestEmoji is more than any name of one.
const longestEmoji = 80

// code writes a short text as code, its backticks made straight quotes.
func code(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(block.Printable(s), "`", "'"), "|", `\|`)
	if s == "" {
		return "n/a"
	}
	return "`" + s + "`"
}
