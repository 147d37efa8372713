package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// testsOfTheTree are the folders of each test's name.
func testsOfTheTree(t *testing.T) map[string][]string {
	t.Helper()
	folders := map[string][]string{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Z0-9]\w*)\(`)
	if err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		folder, _ := filepath.Rel("..", filepath.Dir(path))
		for _, f := range function.FindAllStringSubmatch(string(text), -1) {
			folders[f[1]] = append(folders[f[1]], folder)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return folders
}

var (
	// named is a test's name.
	named = regexp.MustCompile(`\b(?:Test|Fuzz)[A-Z]\w*`)
	// ofFolder is a list of tests and the folder where all of them are.
	ofFolder = regexp.MustCompile("((?:`?(?:Test|Fuzz)[A-Z]\\w*`?, )*`?(?:Test|Fuzz)[A-Z]\\w*`?)\\s+of\\s+`([^`]+)`")
	// command runs a test of a folder.
	command = regexp.MustCompile(`go test \./(\S+) -run '?((?:Test|Fuzz)[A-Z]\w*)`)
)

// untested are the words of a promise that no test holds.
const untested = "not tested"

// TestNamedTestsExist: each test that these pages name is in the tree, and in the folder that
// they give for it, whole or by its end.
func TestNamedTestsExist(t *testing.T) {
	folders := testsOfTheTree(t)
	for _, page := range []string{"../SECURITY.md", "security.md", "scale.md", "upf-pfcp.md"} {
		text := read(t, page)
		for _, name := range named.FindAllString(text, -1) {
			if folders[name] == nil {
				t.Errorf("%s names %s, which is not there", page, name)
			}
		}
		in := func(name, folder string) {
			is := func(f string) bool { return f == folder || strings.HasSuffix(f, "/"+folder) }
			if folders[name] != nil && !slices.ContainsFunc(folders[name], is) {
				t.Errorf("%s names %s of %s, which is in %v", page, name, folder, folders[name])
			}
		}
		for _, list := range ofFolder.FindAllStringSubmatch(text, -1) {
			for _, name := range named.FindAllString(list[1], -1) {
				in(name, list[2])
			}
		}
		for _, c := range command.FindAllStringSubmatch(text, -1) {
			in(c[2], c[1])
		}
	}
}

// TestPromisesNameTests: each row of these tables, and each paragraph and item of a list of these
// sections that begins with what it promises, names a test or says that it is not tested.
func TestPromisesNameTests(t *testing.T) {
	for _, c := range []struct {
		page, section string
		rows, texts   int // that it has at least
	}{
		{"../SECURITY.md", "## What is promised", 0, 3},
		{"security.md", "## The reference UPF", 4, 0},
		{"security.md", "### What it protects", 0, 6},
		{"security.md", "### Exceptions", 5, 0},
		{"security.md", "### Limits", 15, 0},
		{"security.md", "## What a run changes on the machine", 13, 5},
		{"security.md", "## Fuzzing", 5, 7},
		{"scale.md", "## One measurement, several hosts", 5, 0},
		{"scale.md", "## Guarantees", 11, 0},
		{"scale.md", "## Who may do what", 18, 0},
	} {
		_, section, found := strings.Cut(read(t, c.page), "\n"+c.section+"\n")
		if !found {
			t.Errorf("%s has no section %q", c.page, c.section)
			continue
		}
		section = heading.Split(section, 2)[0]
		rows, texts := 0, 0
		for _, block := range strings.Split(strings.TrimSpace(section), "\n\n") {
			if strings.HasPrefix(block, "|") {
				for _, row := range strings.Split(strings.TrimSpace(block), "\n")[2:] {
					rows++
					wantTest(t, c.page, row)
				}
				continue
			}
			for _, text := range strings.Split(strings.TrimPrefix(block, "- "), "\n- ") {
				if strings.HasPrefix(text, "**") && c.texts > 0 && !exempt.MatchString(text) {
					texts++
					wantTest(t, c.page, text)
				}
			}
		}
		if rows < c.rows || texts < c.texts {
			t.Errorf("%s, %s: %d rows and %d paragraphs, want %d and %d at least", c.page, c.section, rows, texts, c.rows, c.texts)
		}
	}
}

var (
	heading = regexp.MustCompile(`(?m)^##+ `)
	// exempt are paragraphs that promise nothing, or go on in a list.
	exempt = regexp.MustCompile(`^\*\*(The machine from UEs|What is not protected)\.`)
)

func wantTest(t *testing.T, page, text string) {
	t.Helper()
	if !named.MatchString(text) && !strings.Contains(text, untested) {
		t.Errorf("%s: no test is named in %.200s", page, text)
	}
}

func read(t *testing.T, page string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
