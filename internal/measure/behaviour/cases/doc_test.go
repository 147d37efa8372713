package cases

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	document = "../../../../docs/reference/cases.md"
	begin    = "<!-- cases: written by UPDATE_GOLDEN=1 go test ./internal/measure/behaviour/cases -->\n"
	end      = "<!-- end of cases -->\n"
)

// table lists the cases as the document has them.
func table() string {
	var b strings.Builder
	for _, g := range Groups() {
		fmt.Fprintf(&b, "\n### %s\n\n| case | what a UPF has to do | clause | may refuse |\n|---|---|---|---|\n", g[1])
		for _, c := range All() {
			if c.Group() != g[0] {
				continue
			}
			refuse := ""
			switch {
			case c.Need.Feature != 0:
				refuse = "unless " + c.Need.Feature.String() + " is announced"
			case c.Need.Optional:
				refuse = "yes"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", c.ID, c.Title, c.Clause, refuse)
		}
	}
	return b.String() + "\n"
}

// TestReadmeCountsTheCases: README says how many cases there are.
func TestReadmeCountsTheCases(t *testing.T) {
	text, err := os.ReadFile("../../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("that it accepts?** %d cases", len(All())); !strings.Contains(string(text), want) {
		t.Errorf("README.md does not say %q", want)
	}
}

// TestDocumentListsTheCases: UPDATE_GOLDEN=1 writes the list.
func TestDocumentListsTheCases(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(text), begin)
	have, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the cases", document)
	}
	if have == table() {
		return
	}
	if os.Getenv("UPDATE_GOLDEN") == "" {
		t.Fatalf("%s does not list the cases that there are: UPDATE_GOLDEN=1 go test writes it", document)
	}
	if err := os.WriteFile(document, []byte(before+begin+table()+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
