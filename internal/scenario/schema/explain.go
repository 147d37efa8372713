package schema

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/text/spelling"
)

// Explain turns the leaves of a schema error into problems that speak of
// keys and places instead of schema keywords.
func Explain(problems []document.Problem, keys []Key, root *document.Node, e *jsonschema.ValidationError) []document.Problem {
	for _, cause := range e.Causes {
		problems = Explain(problems, keys, root, cause)
	}
	if len(e.Causes) > 0 {
		return problems
	}
	path := keyPath(e.InstanceLocation)
	value := root.Follow(e.InstanceLocation)
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			problems = append(problems, unknownKey(keys, value, path, name))
		}
		return problems
	case *kind.Required:
		return append(problems, document.ProblemAt(value.At, path, "%s needs %s; add what is missing", path, strings.Join(k.Missing, ", ")))
	case *kind.UniqueItems:
		twice := value.Items[k.Duplicates[1]]
		return append(problems, document.ProblemAt(twice.At, path, "%s has %s twice; keep one", path, twice.Describe()))
	}
	return append(problems, badValue(keys, value, path, e.ErrorKind))
}

// keyPath is the dotted key of a place; list indexes are left out.
func keyPath(location []string) string {
	var parts []string
	for _, part := range location {
		if _, err := strconv.Atoi(part); err != nil {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, ".")
}

func unknownKey(keys []Key, section *document.Node, path, name string) document.Problem {
	at := section.At
	if f := section.Field(name); f != nil {
		at = f.At
	}
	full := name
	if path != "" {
		full = path + "." + name
	}
	return document.ProblemAt(at, full, "unknown key %q%s; %s", full, HintForKey(keys, path, name), keysHere(namesBelow(keys, path)))
}

// ListOfKeys says where all keys are.
const ListOfKeys = "`upflab scenario keys` lists all keys"

// keysHere names the keys of a section when they are few.
func keysHere(names []string) string {
	if len(names) > 8 {
		return ListOfKeys
	}
	return "keys here: " + strings.Join(names, ", ")
}

// HintForKey looks for a near name in the same section first.
func HintForKey(keys []Key, path, name string) string {
	if hint := spelling.DidYouMean(name, namesBelow(keys, path)); hint != "" {
		return hint
	}
	return spelling.DidYouMean(name, paths(keys))
}

// namesBelow lists the keys of one section, without its own name.
func namesBelow(keys []Key, path string) []string {
	var names []string
	for _, k := range keys {
		name, ok := strings.CutPrefix(k.Path, path+".")
		if path == "" {
			name, ok = k.Path, true
		}
		if ok && !strings.Contains(name, ".") {
			names = append(names, name)
		}
	}
	return names
}

func paths(keys []Key) []string {
	all := make([]string, len(keys))
	for i, k := range keys {
		all[i] = k.Path
	}
	return all
}

// badValue says what the value is and what its key takes.
func badValue(keys []Key, value *document.Node, path string, why jsonschema.ErrorKind) document.Problem {
	key, _ := Named(keys, path)
	what := fmt.Sprintf("%s is %s", path, value.Describe())
	switch k := why.(type) {
	case *kind.Format:
		what = fmt.Sprintf("%s: %s", path, k.Err)
	case *kind.Enum:
		what += spelling.DidYouMean(fmt.Sprint(k.Got), enumNames(k.Want))
	case *kind.Minimum, *kind.Maximum:
		what += ", out of range"
	case *kind.MaxLength:
		what = fmt.Sprintf("%s has %d characters; at most %d are taken", path, k.Got, k.Want)
	case *kind.MaxItems:
		what = fmt.Sprintf("%s has %d values; at most %d are taken", path, k.Got, k.Want)
	}
	return document.ProblemAt(value.At, path, "%s; %s", what, key.Accepts())
}

func enumNames(want []any) []string {
	names := make([]string, len(want))
	for i, w := range want {
		names[i] = fmt.Sprint(w)
	}
	return names
}
