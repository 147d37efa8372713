package record

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

const resultPage = "../../docs/reference/result.md"

// TestReferenceIsTheResult holds docs/reference/result.md to the types of result.json and their comments;
// UPDATE_GOLDEN=1 writes it.
func TestReferenceIsTheResult(t *testing.T) {
	r := reference{comments: map[string]map[string]string{}}
	want := r.page(t)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(resultPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(resultPage); err != nil || string(got) != want {
		t.Errorf("%s is not what the types say (%v): UPDATE_GOLDEN=1 go test ./internal/record -run TestReferenceIsTheResult", resultPage, err)
	}
}

// reference writes a table for each type of the result, in the order in which fields lead to them.
type reference struct {
	comments map[string]map[string]string // of the fields, by the package's path, then "Type.Field"
	queue    []reflect.Type
}

func (r *reference) page(t *testing.T) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Fields of result.json\n\nWritten from the types of `internal/record` (`%s`). Names are stable: new fields may be added, old ones keep their meaning.\n"+
		"Times are RFC 3339. A field that does not apply may be absent.\n", Schema)
	r.queue = []reflect.Type{reflect.TypeFor[Result]()}
	for at := 0; at < len(r.queue); at++ {
		of := r.queue[at]
		fmt.Fprintf(&b, "\n## %s\n\n| field | type | meaning |\n|---|---|---|\n", title(of))
		for f := range fields(of) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, r.kind(f.Type), r.comment(t, declaring(of, f), f.Name))
		}
	}
	return b.String()
}

// fields are those that JSON has, with those of an embedded type in its place.
func fields(of reflect.Type) func(func(reflect.StructField) bool) {
	return func(yield func(reflect.StructField) bool) {
		for _, f := range reflect.VisibleFields(of) {
			if tag := f.Tag.Get("json"); f.IsExported() && tag != "" && tag != "-" && !yield(f) {
				return
			}
		}
	}
}

// declaring is the type that has the field: of, or a type embedded there.
func declaring(of reflect.Type, f reflect.StructField) reflect.Type {
	for _, i := range f.Index[:len(f.Index)-1] {
		if of = of.Field(i).Type; of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
	}
	return of
}

// title is a type's name; those of other packages have the package's, too.
func title(of reflect.Type) string {
	name, _, _ := strings.Cut(of.String(), "[")
	return strings.TrimPrefix(name, "record.")
}

// kind says what a field holds, and has the tables of its parts follow.
func (r *reference) kind(of reflect.Type) string {
	switch of.Kind() {
	case reflect.Pointer:
		return r.kind(of.Elem())
	case reflect.Slice, reflect.Array:
		return "list of " + r.kind(of.Elem())
	case reflect.Map:
		return "object: " + r.kind(of.Elem()) + " by name"
	case reflect.Struct:
		if of == reflect.TypeFor[time.Time]() {
			return "time"
		}
		if !slices.Contains(r.queue, of) {
			r.queue = append(r.queue, of)
		}
		return fmt.Sprintf("[%s](#%s)", title(of), strings.ToLower(strings.ReplaceAll(title(of), ".", "")))
	}
	return of.Kind().String()
}

// comment is what the source says of a field; nil in Go is an absent field in JSON.
func (r *reference) comment(t *testing.T, of reflect.Type, field string) string {
	t.Helper()
	name, _, _ := strings.Cut(of.Name(), "[")
	if r.comments[of.PkgPath()] == nil {
		_, folder, _ := strings.Cut(of.PkgPath(), "/upflab/upflab/")
		r.comments[of.PkgPath()] = commentsOf(t, filepath.Join("../..", folder))
	}
	return strings.NewReplacer("|", "\\|", "nil", "absent").Replace(r.comments[of.PkgPath()][name+"."+field])
}

// commentsOf reads those of a package's fields.
func commentsOf(t *testing.T, folder string) map[string]string {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	all := map[string]string{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			if s, is := spec.Type.(*ast.StructType); is {
				maps.Copy(all, commentsOfFields(spec.Name.Name, s))
			}
			return true
		})
	}
	return all
}

func commentsOfFields(name string, s *ast.StructType) map[string]string {
	all := map[string]string{}
	for _, f := range s.Fields.List {
		for _, id := range f.Names {
			all[name+"."+id.Name] = strings.Join(strings.Fields(f.Doc.Text()+f.Comment.Text()), " ")
		}
	}
	return all
}
