package fill

import (
	"html/template"
	"net/netip"
	"strings"
	"testing"
	texttemplate "text/template"
)

type port struct {
	Name  string
	Addr  netip.Addr
	Peers []netip.Addr
	MTU   int
}

type inner struct{ Label string }

type data struct {
	inner
	Ports   []port
	Mode    string
	Map     map[string]any
	Image   *inner
	Nothing *inner
	Evil    string
}

func sample() data {
	a, b := netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("2001:db8::1")
	return data{inner: inner{"builtin:xdp"}, Ports: []port{{"n3", a, []netip.Addr{a, b}, 1500}, {Name: "n6"}}, Mode: "af_xdp",
		Map: map[string]any{"Key": 7}, Image: &inner{"x"}, Evil: `</p><script>"'&`}
}

// TestAsTheStandardLibrary: what a template becomes is what text/template and html/template make of
// it.
func TestAsTheStandardLibrary(t *testing.T) {
	for _, text := range []string{
		`plain`, `{{.Label}} {{.Mode}} {{.Map.Key}} {{.Image.Label}}`,
		`{{range .Ports}}{{.Name}}={{.Addr}} {{.MTU}}{{range .Peers}} {{.}}{{else}} none{{end}};{{end}}`,
		`{{range $i, $p := .Ports}}{{if $i}}, {{end}}{{$p.Name}} of {{$.Mode}}{{end}}`,
		`{{$f := .}}{{range .Ports}}{{- $port := .}}{{range .Peers}} {{$port.Name}} {{.}} {{$f.Label}}{{- end}}{{end}}`,
		`{{if eq .Mode "af_xdp"}}xdp{{else}}other{{end}}{{if eq .Mode "tun"}}tun{{else if .Image}}image{{end}}`,
		`{{with .Image}}{{.Label}}{{end}}{{with .Nothing}}x{{else}}nothing{{end}}{{if not .Nothing}}y{{end}}`,
		`{{define "one"}}[{{.Name}}]{{end}}{{range .Ports}}{{template "one" .}}{{end}}{{(index .Ports 1).Name}}`,
		`<p title="{{.Evil}}">{{.Evil}}</p>`, `{{/* nothing */}}{{"quoted"}} {{3}} {{true}}`,
	} {
		var want, wantHTML, got, gotHTML strings.Builder
		if err := texttemplate.Must(texttemplate.New("x").Parse(text)).Execute(&want, sample()); err != nil {
			t.Fatal(err)
		}
		if err := template.Must(template.New("x").Parse(text)).Execute(&wantHTML, sample()); err != nil {
			t.Fatal(err)
		}
		for out, of := range map[*strings.Builder]func(string, string, Funcs) (*Template, error){&got: Text, &gotHTML: HTML} {
			one, err := of("x", text, nil)
			if err == nil {
				err = one.Execute(out, sample())
			}
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
		if got.String() != want.String() || gotHTML.String() != wantHTML.String() {
			t.Errorf("%s:\ngot  %q\nwant %q\ngot  %q\nwant %q", text, got.String(), want.String(), gotHTML.String(), wantHTML.String())
		}
	}
}

// TestZeroIsFalse: an address that is not there is false, which it is not for text/template.
func TestZeroIsFalse(t *testing.T) {
	one, err := Text("x", `{{range .Ports}}{{if .Addr}}{{.Addr}}{{else}}none{{end}} {{end}}`, nil)
	var out strings.Builder
	if err == nil {
		err = one.Execute(&out, sample())
	}
	if err != nil || out.String() != "10.0.0.1 none " {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// TestMistakes: what a template may not do is an error that names it.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{{.Missing}}`: "Missing", `{{.Map.Missing}}`: "Missing", `{{.Addr.String}}`: "Addr", `{{range .Mode}}{{end}}`: "no list",
		`{{index .Ports 9}}`: "no element", `{{.Mode | printf}}`: "not defined", `{{.Label | not}}`: "pipes", `{{template "none"}}`: "none",
		`{{range .Ports}}{{.Addr.Unmap}}{{end}}`: "Unmap", `{{if}}`: "missing value",
	} {
		one, err := Text("x", text, nil)
		if err == nil {
			err = one.Execute(&strings.Builder{}, sample())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestFuncsAndRaw: functions get the values, and only Raw is not escaped.
func TestFuncsAndRaw(t *testing.T) {
	one, err := HTML("x", `{{bold .Evil}}{{template "more" .}}`, Funcs{"bold": func(args ...any) (any, error) {
		return Raw("<b>" + template.HTMLEscapeString(args[0].(string)) + "</b>"), nil
	}})
	if err == nil {
		err = one.Add("more", `{{.Evil}}`)
	}
	var out strings.Builder
	if err == nil {
		err = one.Execute(&out, sample())
	}
	escaped := template.HTMLEscapeString(sample().Evil)
	if err != nil || out.String() != "<b>"+escaped+"</b>"+escaped {
		t.Errorf("%q, %v", out.String(), err)
	}
}
