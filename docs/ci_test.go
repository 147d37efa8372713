package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// writes are the names by which a step gets a token that may write.
var writes = regexp.MustCompile(`github\.token|secrets\.|GH_TOKEN|GITHUB_TOKEN`)

// TestTokenIsApartFromBuilds: what runs a build as root has no token, and what has one runs nothing but
// the script that posts.
func TestTokenIsApartFromBuilds(t *testing.T) {
	tokens := map[string]int{}
	for _, path := range []string{"../action.yml", "../ci/github-comment/action.yml"} {
		var a struct {
			Runs struct{ Steps []map[string]any }
		}
		readYAML(t, path, &a)
		for _, step := range a.Runs.Steps {
			text, _ := yaml.Marshal(step)
			if !writes.Match(text) {
				continue
			}
			tokens[path]++
			if run, _ := step["run"].(string); strings.TrimSpace(run) != `"$GITHUB_ACTION_PATH/../comment" "$PULL" "$NAME" "$RUNNER_TEMP/compare.md"` {
				t.Errorf("%s: a step with a token runs %q", path, run)
			}
		}
	}
	if tokens["../action.yml"] != 0 || tokens["../ci/github-comment/action.yml"] != 1 {
		t.Errorf("steps with a token: %v", tokens)
	}
	var jobs map[string]struct {
		Script      []string
		Environment struct{ Name string }
	}
	readYAML(t, "../ci/gitlab.yml", &jobs)
	gate, note := jobs[".upflab-gate"], jobs[".upflab-note"]
	if !strings.Contains(strings.Join(note.Script, ""), "--format comment") {
		t.Errorf("GitLab: the note shows texts of the result: %q", note.Script)
	}
	if strings.Contains(strings.Join(gate.Script, ""), "PRIVATE-TOKEN") || strings.Contains(strings.Join(note.Script, ""), "upflab run") ||
		note.Environment.Name == "" {
		t.Errorf("GitLab: gate %q, note %q", gate.Script, note.Script)
	}
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(read(t, path)), into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// TestGatesRefuseTokens: neither gate starts a build where the token is that comments.
func TestGatesRefuseTokens(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(dir, "ran")
	if err := os.WriteFile(filepath.Join(dir, "upflab"), []byte("#!/bin/sh\ntouch "+ran+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	gate, err := filepath.Abs("../ci/gate")
	if err != nil {
		t.Fatal(err)
	}
	var jobs map[string]struct{ Script []string }
	readYAML(t, "../ci/gitlab.yml", &jobs)
	for name, args := range map[string][]string{
		"GH_TOKEN":          {gate, "--dut", "x", "--old", "/a", "--new", "/b"},
		"GITHUB_TOKEN":      {gate, "--dut", "x", "--old", "/a", "--new", "/b"},
		"UPFLAB_NOTE_TOKEN": {"bash", "-c", strings.Join(jobs[".upflab-gate"].Script, "\n")},
	} {
		c := exec.Command(args[0], args[1:]...)
		c.Dir, c.Env = dir, append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), name+"=secret")
		out, err := c.CombinedOutput()
		if _, started := os.Stat(ran); err == nil || started == nil || !strings.Contains(string(out), name) || strings.Contains(string(out), "secret") {
			t.Errorf("%s: %v, %s", name, err, out)
		}
	}
}

// TestComparedTakesTheResultAlone: of what a job left in which a build was root, upflab sees a copy of
// result.json, and no link is followed.
func TestComparedTakesTheResultAlone(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "upflab-gate")
	write := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(results, 0o755); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(dir, "upflab"), "#!/bin/sh\n[ \"$8\" = comment ] || exit 1\nls \"$2\"; cat \"$2/result.json\"; exit 4\n", 0o755)
	write(filepath.Join(dir, "secret"), "a secret", 0o600)
	write(filepath.Join(results, "result.json"), "measured", 0o644)
	write(filepath.Join(results, "compare.md"), "@everyone", 0o644)
	compared := func() (string, error) {
		out, err := exec.Command("../ci/compared", results, filepath.Join(dir, "upflab"), "3%", "rx_pps").Output()
		return string(out), err
	}
	if out, err := compared(); err != nil || out != "result.json\nmeasured" {
		t.Errorf("%q %v", out, err)
	}
	if err := os.Remove(filepath.Join(results, "result.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "secret"), filepath.Join(results, "result.json")); err != nil {
		t.Fatal(err)
	}
	if out, err := compared(); err == nil || strings.Contains(out, "secret") {
		t.Errorf("a link was followed: %q %v", out, err)
	}
}
