package markdown

import "testing"

// TestNothingLinks: a forge makes no mention, address, emoji or issue of a foreign text, and names that
// are none of these stay whole.
func TestNothingLinks(t *testing.T) {
	for text, want := range map[string]string{
		"@octo/all":                                "@&#8203;octo/all",
		"by @octo, (@octo)":                        "by @&#8203;octo, (@&#8203;octo)",
		"a-@octo":                                  "a-@&#8203;octo",
		"me@evil.example":                          "me@&#8203;evil.example",
		"https://evil.example":                     "https:&#8203;//evil.example",
		"see www.evil.example":                     "see www.&#8203;evil.example",
		":tada:":                                   ":tada&#8203;:",
		"a:b:c:100:":                               "a:b&#8203;:c&#8203;:100&#8203;:",
		"#12 octo/x#12":                            `\#&#8203;12 octo/x\#&#8203;12`,
		"@\u200bocto \u200b":                       "@ octo",
		"eupf@old:native":                          "eupf@old:native",
		"calibrator@new:loss=0.01":                 "calibrator@new:loss=0.01",
		"builtin:xdp: 2 Mpps":                      "builtin:xdp&#8203;: 2 Mpps",
		"Xeon(R) @ 2.60GHz":                        "Xeon(R) @ 2.60GHz",
		"2026-11-28 08:26:42 UTC":                  "2026-11-28 08:26:42 UTC",
		"limits: none; 3 of 4: 2 Mpps":             "limits: none; 3 of 4: 2 Mpps",
		"gh-12 (GH-7)":                             "gh-&#8203;12 (GH-&#8203;7)",
		"high-12, x86-64, gh-pages":                "high-12, x86-64, gh-pages",
		"0123456789abcdef0123456789abcdef01234567": "0123456789abcdef0123&#8203;456789abcdef01234567",
		"sha256:a059eb720acd":                      "sha256:a059eb720acd",
	} {
		if got := escape(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
