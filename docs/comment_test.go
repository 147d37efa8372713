package docs

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// comment is one of a pull request, as gh gives it.
type comment struct {
	Body string `json:"body"`
	URL  string `json:"url"`
	Own  bool   `json:"viewerDidAuthor"`
}

// fakeGH answers `gh pr view` from comments.json by jq, and writes down what it is asked to do.
const fakeGH = `#!/bin/sh
cd "$(dirname "$0")"
case "$1 $2" in
"pr view") while [ "$1" != --jq ]; do shift; done; exec jq -r "$2" comments.json ;;
"pr comment") echo "create $3" >>asked; cat "$5" >body ;;
*) echo "$*" | sed 's/ --field.*//' >>asked; for last; do :; done; cat "${last#body=@}" >body ;;
esac
`

// TestCommentEditsItsOwn: the action's script edits the comment that it made before, and no
// other one: not the last of the same user, not another gate's, not one with its marker by
// somebody else.
func TestCommentEditsItsOwn(t *testing.T) {
	if _, err := exec.LookPath("jq"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("jq is not installed: .ci/run installs it")
		}
		t.Skip("needs jq: apt install jq")
	}
	script, err := filepath.Abs("../ci/comment")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	says := func(name string, comments ...comment) (asked, body string) {
		t.Helper()
		text, _ := json.Marshal(map[string][]comment{"comments": append([]comment{}, comments...)})
		os.Remove(filepath.Join(dir, "asked"))
		if err := errors.Join(os.WriteFile(filepath.Join(dir, "gh"), []byte(fakeGH), 0o755),
			os.WriteFile(filepath.Join(dir, "comments.json"), text, 0o644),
			os.WriteFile(filepath.Join(dir, "compare.md"), []byte("| table |\n"), 0o644)); err != nil {
			t.Fatal(err)
		}
		c := exec.Command(script, "7", name, filepath.Join(dir, "compare.md"))
		c.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		a, _ := os.ReadFile(filepath.Join(dir, "asked"))
		b, _ := os.ReadFile(filepath.Join(dir, "body"))
		return strings.TrimSpace(string(a)), string(b)
	}
	url := "https://github.com/o/r/pull/7#issuecomment-"
	asked, mine := says("eupf:native load-latency")
	if asked != "create 7" || !strings.HasSuffix(mine, "\n| table |\n") {
		t.Fatalf("first: %q, %q", asked, mine)
	}
	_, other := says("open5gs load-latency")
	last := comment{"a coverage report", url + "9", true}
	for what, c := range map[string]struct {
		comments []comment
		want     string
	}{
		"its own":            {[]comment{{mine, url + "5", true}, last}, "api --silent --method PATCH repos/{owner}/{repo}/issues/comments/5"},
		"another workflow's": {[]comment{last}, "create 7"},
		"another gate's":     {[]comment{{other, url + "6", true}, last}, "create 7"},
		"somebody else's":    {[]comment{{mine, url + "8", false}}, "create 7"},
		"one that cites it":  {[]comment{{"> " + mine, url + "8", true}}, "create 7"},
	} {
		if asked, _ := says("eupf:native load-latency", c.comments...); asked != c.want {
			t.Errorf("%s: %q, want %q", what, asked, c.want)
		}
	}
	if _, body := says(`x --> <script> "quoted`); strings.Contains(body, "script") {
		t.Errorf("the name is in the comment: %s", body)
	}
}
