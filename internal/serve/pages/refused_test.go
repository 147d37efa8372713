package pages

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/results/store"
)

// TestRefusedResults: a result that is refused is a page that says why, and no fault of the server; so is
// one that is gone.
func TestRefusedResults(t *testing.T) {
	dir := folder(t)
	for name, text := range map[string]string{
		"no-json":    "<script>\x1b[2J",
		"no-result":  "{}",
		"other":      `{"schema":"upflab.result/v99"}`,
		"deep":       `{"schema":"upflab.result/v1","duts":` + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) + "}",
		"wrong-type": `{"schema":"upflab.result/v1","duts":"x"}`,
		"empty":      "",
		"large":      strings.Repeat(" ", int(store.Shown.Bytes)+1),
	} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, store.FileName), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := serve(t, dir, Options{Loopback: true})
	for path, want := range map[string]int{
		"/runs/no-json": 422, "/runs/no-result": 422, "/runs/other": 422, "/runs/deep": 422, "/runs/wrong-type": 422,
		"/runs/empty": 422, "/runs/large": 422, "/runs/cut": 422, "/compare?a=night-00&b=cut": 422, "/compare?a=other&b=night-00": 422,
		"/runs/night-00": 200, "/": 200, "/matrix": 200, "/history": 200, "/leaderboard": 200, "/runs/none": 404,
	} {
		status, body := get(t, s.Client(), s.URL+path)
		if status != want {
			t.Errorf("%s: %d, want %d", path, status, want)
		}
		if want == http.StatusUnprocessableEntity && (!strings.Contains(body, "This cannot be shown") ||
			!strings.Contains(body, "result.json") || strings.ContainsAny(body, "\x1b") || strings.Contains(body, "<script>\x1b")) {
			t.Errorf("%s says %.300s", path, body)
		}
	}
}
