package document

import (
	"errors"
	"math"
	"strconv"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/upflab/upflab/internal/text/plainyaml"
)

// MaxBytes is the size of a scenario.
const MaxBytes = plainyaml.Small

// Parse turns a YAML text into a tree whose root is a map.
func Parse(src *Source, data []byte) (*Node, error) {
	if len(data) > MaxBytes {
		return nil, src.Fail(1, 1, "the file has %d bytes; a scenario has at most %d: is it the right file?", len(data), MaxBytes)
	}
	return ParseAll(src, data)
}

// ParseAll is parse for a text of any size: the schema.
func ParseAll(src *Source, data []byte) (*Node, error) {
	if err := src.Readable(); err != nil {
		return nil, err
	}
	if err := plainyaml.CheckAll(data, len(data)); err != nil {
		return nil, located(src, err)
	}
	file, err := parseYAML(src, data)
	if err != nil {
		return nil, err
	}
	body, err := onlyDocument(src, file)
	if err != nil {
		return nil, err
	}
	b := builder{src: src}
	root := b.build(body)
	if len(b.problems) == 0 && root.Kind != MapKind {
		return nil, src.Fail(root.At.line, root.At.Column, "the file is %s; a scenario is made of keys, as in \"payload: 1400\"", root.Describe())
	}
	return root, AsError(b.problems)
}

// located gives an error of plainyaml with its place in the source.
func located(src *Source, err error) error {
	var e *plainyaml.Error
	if !errors.As(err, &e) {
		return err
	}
	return src.Fail(e.Line, e.Column, "%s", e.Text)
}

// parseYAML contains the panics of the YAML parser.
func parseYAML(src *Source, data []byte) (file *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = src.Fail(1, 1, "the YAML parser gave up on this file (%v); simplify it", p)
		}
	}()
	file, err = parser.ParseBytes(data, 0)
	var located yaml.Error
	if errors.As(err, &located) && located.GetToken() != nil {
		at := located.GetToken().Position
		return nil, src.Fail(at.Line, at.Column, "not valid YAML: %s", located.GetMessage())
	}
	if err != nil {
		return nil, src.Fail(1, 1, "not valid YAML: %v", err)
	}
	return file, nil
}

// onlyDocument is the body of the one document; nil when the file is empty.
func onlyDocument(src *Source, file *ast.File) (ast.Node, error) {
	var body ast.Node
	for _, doc := range file.Docs {
		if doc.Body == nil || doc.Body.Type() == ast.CommentType {
			continue
		}
		if body != nil {
			at := doc.Body.GetToken().Position
			return nil, src.Fail(at.Line, at.Column, "a second document begins here; a scenario file holds one")
		}
		body = doc.Body
	}
	return body, nil
}

// builder turns the parser's nodes into ours and collects what is refused.
type builder struct {
	src      *Source
	problems []Problem
}

func (b *builder) refuse(at Mark, format string, args ...any) {
	b.problems = append(b.problems, ProblemAt(at, "", format, args...))
}

func (b *builder) mark(tk *token.Token) Mark {
	if tk == nil || tk.Position == nil {
		return b.src.At(1, 1)
	}
	return b.src.At(tk.Position.Line, tk.Position.Column)
}

func (b *builder) build(n ast.Node) *Node {
	if n == nil { // an empty file
		return &Node{At: b.src.At(1, 1), Kind: MapKind}
	}
	at := b.mark(n.GetToken())
	switch n := n.(type) {
	case *ast.MappingNode:
		return b.buildMap(n.Values, at)
	case *ast.MappingValueNode:
		return b.buildMap([]*ast.MappingValueNode{n}, at)
	case *ast.SequenceNode:
		return b.buildList(n, at)
	}
	return b.buildScalar(n, at)
}

func (b *builder) buildMap(values []*ast.MappingValueNode, at Mark) *Node {
	m := &Node{At: at, Kind: MapKind}
	for i, v := range values {
		keyAt := b.mark(v.Key.GetToken())
		if i == 0 {
			m.At = keyAt
		}
		key, ok := keyText(v.Key)
		switch {
		case !ok:
			b.refuse(keyAt, "this kind of key is not used in a scenario; write the name of a key")
		case m.Field(key) != nil:
			b.refuse(keyAt, "%s is written twice; keep one", key)
		default:
			m.Fields = append(m.Fields, Field{Key: key, At: keyAt, Value: b.build(v.Value)})
		}
	}
	return m
}

func keyText(key ast.MapKeyNode) (string, bool) {
	switch k := key.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return key.GetToken().Value, true
	}
	return "", false
}

func (b *builder) buildList(n *ast.SequenceNode, at Mark) *Node {
	list := &Node{At: at, Kind: ListKind}
	for _, v := range n.Values {
		list.Items = append(list.Items, b.build(v))
	}
	return list
}

func (b *builder) buildScalar(n ast.Node, at Mark) *Node {
	s := &Node{At: at}
	switch n := n.(type) {
	case *ast.StringNode:
		s.Scalar = n.Value
	case *ast.LiteralNode:
		s.Scalar = n.Value.Value
	case *ast.IntegerNode:
		s.Scalar = n.Value
	case *ast.FloatNode:
		s.Scalar = WholeOrFloat(n.Value)
	case *ast.BoolNode:
		s.Scalar = n.Value
	case *ast.NullNode:
	case *ast.InfinityNode, *ast.NanNode:
		s.Scalar = n.GetToken().Value // text: the schema refuses it by name
	default:
		b.refuse(at, "a value of this kind is not used in a scenario; write a word, a number or true or false")
	}
	return s
}

// WholeOrFloat turns 1e4 into the integer it is.
func WholeOrFloat(f float64) any {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return int64(f)
	}
	return f
}
