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
	// command runs tests: as code in a sentence, which may go on in the next line, or on a line of
	// its own.
	command = regexp.MustCompile("(?m)`go test\\s+([^`]*)`|^\\s*(?:sudo )?go test (.*)$")
	// runs is which tests a command runs, and where is their folder.
	runs  = regexp.MustCompile(`(?:^|\s)-run[ =](?:'([^']*)'|(\S+))`)
	where = regexp.MustCompile(`(?:^|\s)\./(\S+)`)
	// otherwise is of a command that runs no tests.
	otherwise = regexp.MustCompile(`(?:^|\s)-(?:bench|fuzz)[ =]`)
)

// untested are the words of a promise that no test holds.
const untested = "not tested"

// pages are all pages in this folder and below it, and SECURITY.md.
func pages(t *testing.T) []string {
	t.Helper()
	list := []string{"../SECURITY.md"}
	if err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, ".md") {
			list = append(list, path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(list) < 30 {
		t.Fatalf("%d pages only", len(list))
	}
	return list
}

// TestNamedTestsExist: each test that the pages name is in the tree, and in the folder that they
// give for it, whole or by its end. Commands may name it as -run takes it, by a part.
func TestNamedTestsExist(t *testing.T) {
	folders := testsOfTheTree(t)
	commands := 0
	for _, page := range pages(t) {
		text := read(t, page)
		for _, c := range command.FindAllStringSubmatch(text, -1) {
			commands += runsTests(t, folders, page, strings.Join(strings.Fields(c[1]+c[2]), " "))
		}
		for _, name := range named.FindAllString(command.ReplaceAllStringFunc(text, withoutRun), -1) {
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
	}
	if commands < 30 {
		t.Errorf("the pages have %d commands only that run tests", commands)
	}
}

// withoutRun is a command without the tests that it runs.
func withoutRun(command string) string { return runs.ReplaceAllString(command, "") }

// runsTests checks that each alternative of a command's -run matches a test in its folder, and
// says with 1 that the command has them.
func runsTests(t *testing.T, folders map[string][]string, page, command string) int {
	t.Helper()
	run := runs.FindStringSubmatch(command)
	if run == nil || otherwise.MatchString(command) {
		return 0
	}
	folder := where.FindStringSubmatch(command)
	for _, part := range strings.Split(strings.ReplaceAll(run[1]+run[2], `\|`, "|"), "|") {
		pattern, err := regexp.Compile(strings.SplitN(part, "/", 2)[0])
		if err != nil {
			t.Errorf("%s: go test %s: %v", page, command, err)
			continue
		}
		found := false
		for name, in := range folders {
			found = found || pattern.MatchString(name) && (folder == nil || slices.Contains(in, strings.TrimSuffix(folder[1], "/")))
		}
		if !found {
			t.Errorf("%s: go test %s: %s is no test there", page, command, part)
		}
	}
	return 1
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
		{"reference/upf-limits.md", "## Exceptions", 5, 0},
		{"reference/upf-limits.md", "## Limits", 15, 0},
		{"reference/run-changes.md", "## Changes", 13, 5},
		{"reference/fuzzing.md", "## How", 5, 7},
		{"reference/campaigns.md", "## Several hosts", 5, 0},
		{"reference/campaigns.md", "## Guarantees", 11, 0},
		{"reference/campaigns.md", "## Who may do what", 18, 0},
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
