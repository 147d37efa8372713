package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/html"
	"github.com/upflab/upflab/internal/report/sections"
	"github.com/upflab/upflab/internal/report/sections/trends"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/atomicfile"
	"github.com/upflab/upflab/internal/text/safefile"
)

// Publication says what a site of static pages is to be.
type Publication struct {
	Out   string           // its folder
	Title string           // above the pages
	Runs  int              // how many of the newest runs have their report; 0: all
	Pins  []compare.Metric // figures that come first in the history
}

// madeName is the list of the files that were published into a folder: the next time these are
// replaced or removed, and no others.
const madeName = ".upflab-site"

// madeMost is how large that list may be, bytes.
const madeMost = 16 << 20

// site is a publication under way.
type site struct {
	Publication
	h      trends.History
	dir    string
	names  map[string]string // of the pages of runs, by the run's path
	made   []string
	cases  *record.Result // of the matrix
	absent []string
}

// Publish writes the pages of a folder of results as files that need no server: links are relative,
// and nothing is in them but what the results have. It gives the number of pages, and what could not
// be read.
func Publish(ctx context.Context, x *history.Index, p Publication) (pages int, absent []string, err error) {
	h, err := trends.Read(ctx, x, history.Filter{})
	if err != nil {
		return 0, nil, err
	}
	s := &site{Publication: p, h: h, dir: x.Dir(), names: map[string]string{}}
	before, err := s.prepare()
	if err != nil {
		return 0, nil, err
	}
	s.discreet()
	s.name()
	if s.cases, err = newestCases(s.h, s.dir); err != nil {
		s.absent = append(s.absent, err.Error())
	}
	// The list comes first: a publication that is interrupted leaves nothing that the next one takes for
	// a file of somebody else. The reports come before the pages that lead to them.
	if err := s.list(slices.Concat(before, s.planned())); err != nil {
		return 0, nil, err
	}
	if err := s.runs(ctx); err != nil {
		return 0, nil, err
	}
	if err := s.overviews(); err != nil {
		return 0, nil, err
	}
	return len(s.made), s.absent, s.finish(before)
}

// prepare makes the folder. One that has files of somebody else is refused.
func (s *site) prepare() (before []string, err error) {
	if err := safefile.MakeFolder(s.Out, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the site: %w", err)
	}
	list, err := safefile.Read(filepath.Join(s.Out, madeName), madeMost)
	if err == nil {
		return strings.Fields(string(list)), nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read what was published before: %w", err)
	}
	entries, err := os.ReadDir(s.Out)
	if err != nil {
		return nil, fmt.Errorf("read the folder of the site: %w", err)
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s has files that upflab did not publish: name an empty or a new folder with --out", s.Out)
	}
	return nil, nil
}

// discreet takes out of the history what is this machine's: where the folder of results is.
func (s *site) discreet() {
	places := []string{s.dir}
	if whole, err := filepath.Abs(s.dir); err == nil {
		places = append(places, whole)
	}
	hide := func(text string) string {
		for _, place := range slices.Backward(places) {
			text = strings.ReplaceAll(text, strings.TrimSuffix(place, "/")+"/", "")
		}
		return text
	}
	s.h.Folder = s.Title
	for i := range s.h.Notes {
		s.h.Notes[i] = hide(s.h.Notes[i])
	}
	for _, r := range s.h.Runs {
		r.Unreadable = hide(r.Unreadable)
	}
}

// name gives each run that gets a report the name of its page, of safe characters.
func (s *site) name() {
	taken := map[string]bool{}
	for _, r := range slices.Backward(s.h.Runs) {
		if r.Unreadable != "" || s.Publication.Runs > 0 && len(s.names) == s.Publication.Runs {
			continue
		}
		stem := safeName(r.Path)
		name := stem
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		taken[name], s.names[r.Path] = true, name
	}
}

// safeName keeps of a path what any server and file system takes, in lower case: some tell no
// capitals apart.
func safeName(path string) string {
	const longest = 80
	name := strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		}
		return '-'
	}, path)
	return "run-" + name[:min(len(name), longest)]
}

// The pages about all runs.
const (
	boardPage    = "index.html"
	listPage     = "runs.html"
	historyPage  = "history.html"
	versionsPage = "versions.html"
	matrixPage   = "matrix.html"
)

// reportPage is that of a run by the name that it was given.
func reportPage(name string) string { return "runs/" + name + ".html" }

// planned are the pages that there will be if all results can be read.
func (s *site) planned() []string {
	list := []string{boardPage, listPage, historyPage, versionsPage}
	if s.hasMatrix() {
		list = append(list, matrixPage)
	}
	for _, name := range s.names {
		list = append(list, reportPage(name))
	}
	return list
}

func (s *site) hasMatrix() bool { return len(s.cases.DUTs) > 0 }

// overviews writes the pages about all runs.
func (s *site) overviews() error {
	s.h.Link = func(r *history.Run) string {
		if name := s.names[r.Path]; name != "" {
			return reportPage(name)
		}
		return ""
	}
	s.h.Newest, s.h.Pins = newestRuns, s.Pins
	script, err := assets.ReadFile("assets/filter.js")
	if err != nil {
		return err
	}
	published := s.h
	published.Newest = s.Publication.Runs
	board, list, along, versions := trends.Leaderboard(s.h), trends.Overview(published), trends.Report(s.h), s.h
	board.Title, versions.ByVersion = s.Title, true
	form := listFilter(url.Values{}, s.h)
	form.Action, form.Fields = "", form.Fields[:4] // without how many: all rows are in the page
	all := []error{s.write(boardPage, board, html.Frame{}),
		s.write(listPage, list, html.Frame{Body: filled("filter.tmpl", form), Script: string(script)}),
		s.write(historyPage, along, html.Frame{}), s.write(versionsPage, trends.Report(versions), html.Frame{})}
	if s.hasMatrix() {
		all = append(all, s.write(matrixPage, matrixDocument(s.cases),
			html.Frame{Body: filled("filter.tmpl", casesFilter()), Script: string(script)}))
	}
	return errors.Join(all...)
}

// casesFilter is the form above a matrix whose page filters itself.
func casesFilter() filter {
	f := filter{}
	var verdicts []string
	for _, o := range verdictNames()[2:] { // without all, and findings, which are no text of a cell
		verdicts = append(verdicts, o.Text)
	}
	f.field(url.Values{}, "verdict", "Verdict", "", options(verdicts))
	f.field(url.Values{}, "text", "Text", "search", nil)
	return f
}

// runs writes the report of each run. One that was removed meanwhile is left out, and has no name any
// more: no page leads to it.
func (s *site) runs(ctx context.Context) error {
	for _, r := range s.h.Runs {
		name := s.names[r.Path]
		if name == "" {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		var d block.Document
		result, err := store.Shown.Load(r.Folder(s.dir))
		if err == nil {
			d, err = sections.Report(result, sections.Options{})
		}
		if err != nil {
			s.absent = append(s.absent, err.Error())
			delete(s.names, r.Path)
			continue
		}
		if err := s.write(reportPage(name), d, html.Frame{}); err != nil {
			return err
		}
	}
	return nil
}

// write writes a page with the links to the others, relative to where it is.
func (s *site) write(name string, d block.Document, f html.Frame) error {
	up := strings.Repeat("../", strings.Count(name, "/"))
	f.Path = up + name
	f.Nav = []block.Link{{Text: "Leaderboard", URL: up + boardPage}, {Text: "Runs", URL: up + listPage},
		{Text: "History", URL: up + historyPage}, {Text: "Versions", URL: up + versionsPage}}
	if s.hasMatrix() {
		f.Nav = append(f.Nav, block.Link{Text: "Enforcement matrix", URL: up + matrixPage})
	}
	var page bytes.Buffer
	if err := html.Serve(&page, d, f); err != nil {
		return err
	}
	path := filepath.Join(s.Out, filepath.FromSlash(name))
	if err := safefile.MakeFolder(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("make a folder of the site: %w", err)
	}
	if err := atomicfile.Write(path, page.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write a page: %w", err)
	}
	s.made = append(s.made, name)
	return nil
}

// finish removes the pages of before that there are no more, and lists those that there are.
func (s *site) finish(before []string) error {
	root, err := os.OpenRoot(s.Out)
	if err != nil {
		return fmt.Errorf("open the folder of the site: %w", err)
	}
	defer root.Close()
	made := map[string]bool{}
	for _, name := range s.made {
		made[name] = true
	}
	for _, name := range before {
		if made[name] || !strings.HasSuffix(name, ".html") {
			continue
		}
		if err := root.Remove(filepath.FromSlash(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a page of before: %w", err)
		}
	}
	return s.list(s.made)
}

// list writes the list of what is published, which the next publication replaces or removes.
func (s *site) list(names []string) error {
	slices.Sort(names)
	names = slices.Compact(names)
	if err := atomicfile.Write(filepath.Join(s.Out, madeName), []byte(strings.Join(names, "\n")+"\n"), 0o644); err != nil {
		return fmt.Errorf("list the pages: %w", err)
	}
	return nil
}
