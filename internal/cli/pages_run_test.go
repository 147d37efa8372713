package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/cli/clitest"
	"github.com/upflab/upflab/internal/cli/exit"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
)

// TestEveryPagesCommands: each command of each page is parsed. What needs neither root nor
// another machine is run: `run` with --dry-run, what reads results on stored ones, in a
// folder that has the files of which the pages speak.
func TestEveryPagesCommands(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	pages := everyPage(t, root)
	playground(t)
	shown := map[string]map[string]string{} // by page, then by name
	for _, page := range pages {
		shown[page] = pageFiles(t, filepath.Join(root, page))
	}
	ran, parsed := 0, 0
	for _, page := range pages {
		for _, other := range append(slices.Clone(pages), pages[0], page) { // the README's before others', a page's own before all
			writeAll(t, shown[other])
		}
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range pageCommands(string(text)) {
			words := placed(c.words)
			parsed++
			if err := parses(words); err != nil {
				t.Errorf("%s: upflab %s: %v", page, strings.Join(c.words, " "), err)
				continue
			}
			if words = harmless(words); words == nil {
				continue
			}
			ran++
			status, out, says := typed(words...)
			absent := words[0] == "run" && (status == exit.Failed && strings.Contains(out, "not installed here") ||
				status == exit.Usage && strings.Contains(says, "is not one that upflab may use") || // of many CPUs
				status == exit.Usage && strings.Contains(says, "this kernel has no IPsec") ||
				status == exit.Usage && out != "" && strings.Contains(says, "this machine has no network interface"))
			if !absent && (!slices.Contains([]int{exit.Done, exit.Invalid, exit.Worse}, status) || out == "") {
				t.Errorf("%s: upflab %s: status %d, %d bytes, %s", page, strings.Join(words, " "), status, len(out), says)
			}
		}
	}
	t.Logf("%d pages, %d commands, %d of them run", len(pages), parsed, ran)
	if ran < 80 {
		t.Errorf("%d of %d commands were run only", ran, parsed)
	}
}

// everyPage lists all Markdown files for users.
func everyPage(t *testing.T, root string) []string {
	t.Helper()
	pages := []string{"README.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			path, err = filepath.Rel(root, path)
			pages = append(pages, path)
		}
		return err
	})
	if err != nil || len(pages) < 30 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	return pages
}

// playground is a folder with the results that the pages name.
func playground(t *testing.T) {
	t.Helper()
	kept := map[string]*record.Result{}
	for _, name := range []string{"sample", "sweep"} {
		r, err := store.Load(filepath.Join("../report/render/testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		kept[name] = r
	}
	pair, err := store.Load(clitest.StoredRun(t, "pair", 2.00e6, 2.01e6, 1.99e6))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	t.Setenv("UPFLAB_EUPF", "/bin/true") // a dry run does not start it
	for name, r := range map[string]*record.Result{"A": pair, "B": pair, "before": pair, "after": pair,
		"builds": pair, "one": pair, "apart": pair,
		"results/last": pair, "results/20261121-015423-load-latency": kept["sample"], "results/sweep": kept["sweep"], "DIR": kept["sample"]} {
		if err := os.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := store.Save(name, r); err != nil {
			t.Fatal(err)
		}
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"eupf-main", "eupf-change"} {
		if err := os.Symlink(program, name); err != nil {
			t.Fatal(err)
		}
	}
}

var (
	fileBlock = regexp.MustCompile("(?ms)^```yaml\n# ([a-z-]+\\.yaml)[^\n]*\n.*?^```")
	// hereFile is a file that a shell block writes.
	hereFile = regexp.MustCompile(`(?ms)^cat > ([a-z-]+\.yaml) <<'E'\n(.*?)^E$`)
)

// pageFiles are the files that a page shows with their names.
func pageFiles(t *testing.T, page string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, m := range fileBlock.FindAllStringSubmatch(string(text), -1) {
		files[m[1]] = strings.TrimSuffix(strings.TrimPrefix(m[0], "```yaml\n"), "```")
	}
	for _, m := range hereFile.FindAllStringSubmatch(string(text), -1) {
		files[m[1]] = m[2]
	}
	return files
}

func writeAll(t *testing.T, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// placed puts in what stands for something else.
func placed(words []string) (list []string) {
	for _, w := range words {
		w = strings.NewReplacer("/srv/nightly", "results", "/var/lib/prometheus/node-exporter", "results", "NAME:OTHERMODE", "builtin:xdp-generic").Replace(w)
		if w == "NAME" {
			w = "builtin:xdp"
		}
		list = append(list, w)
	}
	return list
}

// harmless is a command as it can be run anywhere; nil: it cannot.
func harmless(words []string) []string {
	switch {
	case slices.Contains(words, "--help"), words[0] == "init": // it has no input: each answer is the default
		return words
	case slices.Contains(words, "--site"), slices.Contains(words, "instructions"): // in a cluster, or in a guest, whose kernel there may not be
		return nil
	case words[0] == "run":
		words = slices.Clone(words)
		if at := slices.Index(words, "--out"); at >= 0 {
			words[at+1] += "-new" // others read the result that would be there
		}
		if slices.Contains(words, "--dry-run") {
			return words
		}
		return append(words, "--dry-run")
	case slices.Contains([]string{"compare", "check", "report", "export", "history", "model", "scenario", "version"}, words[0]),
		slices.Equal(words[:min(2, len(words))], []string{"behaviour", "list"}),
		slices.Equal(words[:min(2, len(words))], []string{"dut", "list"}):
		return words
	}
	return nil
}
