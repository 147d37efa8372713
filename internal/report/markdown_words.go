package report

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

func (m *markdown) list(lines []string) {
	for _, line := range lines {
		m.linef("- %s", escape(title(line)))
	}
}

// title makes the first letter a capital one, but not that of a name such as
// eUPF.
func title(s string) string {
	if s == "" {
		return s
	}
	first, rest := utf8.DecodeRuneInString(s)
	if second, _ := utf8.DecodeRuneInString(s[rest:]); unicode.IsUpper(second) {
		return s
	}
	return string(unicode.ToUpper(first)) + s[rest:]
}

// link keeps an address only if a browser would open it as a page.
func link(url string) string {
	url = printable(url)
	if !strings.HasPrefix(url, "https://") && !strings.HasPrefix(url, "http://") || strings.ContainsAny(url, "<>\"` ") {
		return "about:blank"
	}
	return url
}
