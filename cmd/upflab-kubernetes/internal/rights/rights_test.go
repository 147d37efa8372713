package rights

import (
	"bytes"
	"strings"
	"testing"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
)

func read(t *testing.T, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestFew: no run may read Secrets, execute in pods, or change what is outside of its namespace.
func TestFew(t *testing.T) {
	p := read(t, "namespace: lab\nimage: x\nlead: {n3: a, n6: b, networks: [{name: core/n3}, {name: n6}]}\nupf: "+
		"{selector: app=upf, namespace: core, n3: x, n6: y}\n")
	for _, secrets := range []bool{false, true} {
		for _, r := range append(Of(p, secrets), JobSets(p)) {
			for _, verb := range r.Verbs {
				changes := verb != "get" && verb != "list"
				if r.Resource == "secrets" && (!secrets || !changes) || r.Subresource == "exec" ||
					changes && r.Namespace != "lab" || verb == "*" || r.Resource == "*" {
					t.Errorf("the right to %s %s in %q", verb, r.name(), r.Namespace)
				}
			}
			if r.Why == "" {
				t.Errorf("%s: no reason", r.name())
			}
		}
	}
}

func TestWrite(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, read(t,
		"namespace: lab\nimage: x\nlead: {n3: a, n6: b}\nupf: {selector: app=upf, namespace: core, n3: x, n6: y}\n")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kind: Role\n", "kind: ClusterRole\n", "namespace: core", "- pods/log"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, &b)
		}
	}
	if n := strings.Count(b.String(), "---\n"); n != 3 {
		t.Errorf("%d roles", n)
	}
}
