package report

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"

	"github.com/upflab/upflab/internal/record"
)

//go:embed assets
var assets embed.FS

// HTML writes report.html: one file with its styles, charts and data in it,
// which fetches nothing. Whatever the result holds is escaped.
func HTML(w io.Writer, r *record.Result) error { return writeHTML(w, r, Beside{}) }

func writeHTML(w io.Writer, r *record.Result, b Beside) error {
	if r == nil {
		return errNoResult
	}
	tmpl, err := template.ParseFS(assets, "assets/*.tmpl")
	if err != nil {
		return fmt.Errorf("read the HTML templates: %w", err)
	}
	v := newView(r)
	v.Published = v.publish(b.Published)
	p, err := newPage(v)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := tmpl.ExecuteTemplate(&out, "page.tmpl", p); err != nil {
		return fmt.Errorf("write the HTML report: %w", err)
	}
	return write(w, "the HTML report", out.Bytes())
}

// script joins the embedded scripts into one scope; main.js runs last.
func script() (template.JS, error) {
	var all bytes.Buffer
	all.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range [...]string{"base.js", "latency.js", "rates.js", "cpu.js", "side.js", "search.js", "curve.js", "loss.js", "series.js", "sizes.js", "main.js"} {
		part, err := assets.ReadFile("assets/" + name)
		if err != nil {
			return "", fmt.Errorf("read the charts' script: %w", err)
		}
		all.Write(part)
	}
	all.WriteString("})();\n")
	return template.JS(all.String()), nil
}

func style() (template.CSS, error) {
	css, err := assets.ReadFile("assets/style.css")
	if err != nil {
		return "", fmt.Errorf("read the style sheet: %w", err)
	}
	return template.CSS(css), nil
}
