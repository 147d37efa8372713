package pages

import (
	"bytes"
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/live"
	"github.com/upflab/upflab/internal/results/store"
)

//go:embed assets
var assets embed.FS

// shown is what a page shows.
type shown struct {
	block.Document
	html.Frame
}

// notFound says what there is not.
type notFound struct{ what string }

func (e notFound) Error() string { return e.what }

// page answers with a document, or with what is wrong as one.
func (s *server) page(of func(context.Context, *http.Request) (shown, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		status := http.StatusOK
		p, err := of(r.Context(), r)
		if err != nil {
			status = statusOf(err)
			p = shown{Document: block.Document{Title: "This cannot be shown", Maker: "upflab", Sections: []block.Section{
				{Blocks: []block.Block{block.Note{Tone: block.Bad, Text: block.Printable(err.Error())}}}}}}
		}
		p.Path = r.URL.Path
		s.write(w, status, p.Document, p.Frame)
	}
}

// statusOf is the status of a page that says what is wrong. A result that is refused is no fault of the
// server.
func statusOf(err error) int {
	switch {
	case errors.As(err, new(notFound)):
		return http.StatusNotFound
	case errors.As(err, new(store.RefusedError)):
		return http.StatusUnprocessableEntity
	}
	return http.StatusInternalServerError
}

// write answers with a page. Nothing may have been written before: headers that come after the status
// are lost.
func (s *server) write(w http.ResponseWriter, status int, d block.Document, f html.Frame) {
	f.Nonce = rand.Text()
	f.Nav = []block.Link{{Text: "Runs", URL: "/"}, {Text: "Leaderboard", URL: "/leaderboard"}, {Text: "History", URL: "/history"},
		{Text: "Compare", URL: "/compare"}, {Text: "Enforcement matrix", URL: "/matrix"}}
	if s.o.Runs != nil {
		f.Nav = append(f.Nav, block.Link{Text: "Start a run", URL: "/start"})
	}
	var page bytes.Buffer
	if err := html.Serve(&page, d, f); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy",
		fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-%s'; connect-src 'self'; "+
			"img-src data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'", f.Nonce))
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(page.Bytes()) // a browser that goes away is no error
}

// filled fills a template of this server; whatever the values hold is escaped.
func filled(name string, values any) template.HTML {
	var out bytes.Buffer
	t, err := template.ParseFS(assets, "assets/"+name)
	if err == nil {
		err = t.Execute(&out, values)
	}
	if err != nil {
		return template.HTML(template.HTMLEscapeString(err.Error()))
	}
	return template.HTML(out.String())
}

// linked gives the runs of a page their addresses. Whether a run goes on is looked up once for each
// page: a chart has a link for each of its points.
func (s *server) linked(h trends.History) trends.History {
	running := map[string]bool{}
	h.Running = func(r *history.Run) bool {
		is, known := running[r.Path]
		if !known {
			is = live.StateOf(r.Folder(s.index.Dir())) == live.Running
			running[r.Path] = is
		}
		return is
	}
	h.Link = func(r *history.Run) string {
		if h.Running(r) {
			return link("/live/", r.Path)
		}
		return link("/runs/", r.Path)
	}
	return h
}

// link is the address of a page about a run; the folder of the store itself has no name.
func link(below, path string) string {
	if path == "." {
		return below
	}
	return (&url.URL{Path: below + path}).EscapedPath()
}
