// Package fill fills templates in the syntax of text/template, whose parser it uses. It reads
// fields and keys of maps and calls the functions that it is given, but no methods: a program that
// looks methods up by name keeps all methods of all types, which were 7 MB of upflab's binary.
// A zero value is false, also one of a struct, so an address that is not there is.
package fill

import (
	"errors"
	"fmt"
	"html"
	"io"
	"reflect"
	"strings"
	"text/template/parse"
)

// Raw is a text that is HTML already, which HTML does not escape.
type Raw string

// Func is a function that templates call.
type Func func(args ...any) (any, error)

// Funcs are functions by name.
type Funcs map[string]Func

// Template is a parsed template with those that it defines.
type Template struct {
	trees  map[string]*parse.Tree
	name   string
	funcs  Funcs
	escape func(string) string
}

// Text parses the template of a text.
func Text(name, text string, funcs Funcs) (*Template, error) {
	t := &Template{trees: map[string]*parse.Tree{}, name: name, funcs: Funcs{"eq": eq, "not": not, "index": index},
		escape: func(s string) string { return s }}
	for name, f := range funcs {
		t.funcs[name] = f
	}
	return t, t.Add(name, text)
}

// HTML parses the template of a page: what it fills in is escaped, for places between tags and
// within quotes. Addresses must be checked before.
func HTML(name, text string, funcs Funcs) (*Template, error) {
	t, err := Text(name, text, funcs)
	t.escape = html.EscapeString
	return t, err
}

// Add parses another text, whose templates those of the first can call.
func (t *Template) Add(name, text string) error {
	known := map[string]any{}
	for name, f := range t.funcs {
		known[name] = f
	}
	trees, err := parse.Parse(name, text, "", "", known)
	for name, tree := range trees {
		t.trees[name] = tree
	}
	return err
}

// Execute writes the template, filled with data.
func (t *Template) Execute(w io.Writer, data any) error { return t.call(w, t.name, data) }

func (t *Template) call(w io.Writer, name string, data any) error {
	tree := t.trees[name]
	if tree == nil {
		return fmt.Errorf("there is no template %q", name)
	}
	s := state{Template: t, w: w, variables: []variable{{"$", data}}}
	if err := s.walk(tree.Root, data); err != nil {
		return fmt.Errorf("template %s: %w", name, err)
	}
	return nil
}

// state is that of one template under way.
type state struct {
	*Template
	w         io.Writer
	variables []variable // the innermost last
}

type variable struct {
	name  string
	value any
}

func (s *state) walk(n parse.Node, dot any) error {
	switch n := n.(type) {
	case *parse.ListNode:
		return s.list(n, dot)
	case *parse.TextNode:
		_, err := s.w.Write(n.Text)
		return err
	case *parse.ActionNode:
		v, err := s.pipe(n.Pipe, dot)
		if err != nil || len(n.Pipe.Decl) > 0 {
			return err
		}
		return s.write(v)
	case *parse.IfNode:
		return s.branch(&n.BranchNode, dot, false)
	case *parse.WithNode:
		return s.branch(&n.BranchNode, dot, true)
	case *parse.RangeNode:
		return s.each(n, dot)
	case *parse.TemplateNode:
		v, err := s.pipe(n.Pipe, dot)
		if err != nil {
			return err
		}
		return s.call(s.w, n.Name, v)
	}
	return fmt.Errorf("%s is not supported", n)
}

func (s *state) list(n *parse.ListNode, dot any) error {
	if n == nil { // an else that is not there
		return nil
	}
	for _, one := range n.Nodes {
		if err := s.walk(one, dot); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) write(v any) error {
	text, safe := v.(Raw)
	if !safe {
		text = Raw(s.escape(fmt.Sprint(plain(v))))
	}
	_, err := io.WriteString(s.w, string(text))
	return err
}

// plain is what a pointer to a simple value points to.
func plain(v any) any {
	if r := reflect.ValueOf(v); r.Kind() == reflect.Pointer && !r.IsNil() {
		if _, named := v.(fmt.Stringer); !named {
			return r.Elem().Interface()
		}
	}
	return v
}

// branch is if and with, whose dot is the value.
func (s *state) branch(n *parse.BranchNode, dot any, with bool) error {
	defer s.leave(len(s.variables))
	v, err := s.pipe(n.Pipe, dot)
	switch {
	case err != nil:
		return err
	case !truth(v):
		return s.list(n.ElseList, dot)
	case with:
		dot = v
	}
	return s.list(n.List, dot)
}

// leave forgets the variables of a block.
func (s *state) leave(n int) { s.variables = s.variables[:n] }

// each repeats a block for each element of a list.
func (s *state) each(n *parse.RangeNode, dot any) error {
	defer s.leave(len(s.variables))
	v, err := s.commands(n.Pipe, dot)
	if err != nil {
		return err
	}
	list := reflect.ValueOf(v)
	if !truth(v) {
		return s.list(n.ElseList, dot)
	}
	if k := list.Kind(); k != reflect.Slice && k != reflect.Array {
		return fmt.Errorf("range over %T, which is no list", v)
	}
	outer := len(s.variables)
	for i := range list.Len() {
		s.leave(outer)
		values := []any{i, list.Index(i).Interface()}
		for k, d := range n.Pipe.Decl {
			s.variables = append(s.variables, variable{d.Ident[0], values[k+2-len(n.Pipe.Decl)]})
		}
		if err := s.list(n.List, values[1]); err != nil {
			return err
		}
	}
	return nil
}

// pipe is the value of a pipe, which its variable gets.
func (s *state) pipe(n *parse.PipeNode, dot any) (any, error) {
	if n == nil {
		return nil, nil
	}
	v, err := s.commands(n, dot)
	for _, d := range n.Decl {
		s.variables = append(s.variables, variable{d.Ident[0], v})
	}
	return v, err
}

func (s *state) commands(n *parse.PipeNode, dot any) (any, error) {
	if len(n.Cmds) != 1 {
		return nil, fmt.Errorf("%s: pipes are not supported", n)
	}
	args := n.Cmds[0].Args
	if f, ok := args[0].(*parse.IdentifierNode); ok {
		return s.function(f.Ident, args[1:], dot)
	}
	if len(args) > 1 {
		return nil, fmt.Errorf("%s: methods are not supported", n)
	}
	return s.value(args[0], dot)
}

func (s *state) function(name string, args []parse.Node, dot any) (any, error) {
	values := make([]any, len(args))
	for i, a := range args {
		var err error
		if values[i], err = s.value(a, dot); err != nil {
			return nil, err
		}
	}
	v, err := s.funcs[name](values...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return v, nil
}

func (s *state) value(n parse.Node, dot any) (any, error) {
	switch n := n.(type) {
	case *parse.DotNode:
		return dot, nil
	case *parse.FieldNode:
		return fields(dot, n.Ident)
	case *parse.VariableNode:
		for i := len(s.variables) - 1; i >= 0; i-- {
			if s.variables[i].name == n.Ident[0] {
				return fields(s.variables[i].value, n.Ident[1:])
			}
		}
	case *parse.ChainNode:
		v, err := s.value(n.Node, dot)
		if err != nil {
			return nil, err
		}
		return fields(v, n.Field)
	case *parse.PipeNode:
		return s.commands(n, dot)
	case *parse.IdentifierNode:
		return s.function(n.Ident, nil, dot)
	case *parse.StringNode:
		return n.Text, nil
	case *parse.BoolNode:
		return n.True, nil
	case *parse.NumberNode:
		if n.IsInt {
			return int(n.Int64), nil
		}
	}
	return nil, fmt.Errorf("%s is not supported", n)
}

// fields goes down from a value by the names of fields or keys.
func fields(v any, names []string) (any, error) {
	for _, name := range names {
		r := reflect.ValueOf(v)
		for r.Kind() == reflect.Pointer && !r.IsNil() {
			r = r.Elem()
		}
		var f reflect.Value
		switch r.Kind() {
		case reflect.Struct:
			f = r.FieldByName(name)
		case reflect.Map:
			f = r.MapIndex(reflect.ValueOf(name))
		}
		if !f.IsValid() || !f.CanInterface() {
			return nil, fmt.Errorf("%T has no field %s", v, name)
		}
		v = f.Interface()
	}
	return v, nil
}

func truth(v any) bool {
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Slice, reflect.Map:
		return r.Len() > 0
	}
	return !r.IsZero()
}

func eq(args ...any) (any, error) {
	if len(args) != 2 {
		return nil, errors.New("takes two values")
	}
	return fmt.Sprint(args[0]) == fmt.Sprint(args[1]), nil
}

func not(args ...any) (any, error) {
	if len(args) != 1 {
		return nil, errors.New("takes one value")
	}
	return !truth(args[0]), nil
}

// index is an element of a list.
func index(args ...any) (any, error) {
	if len(args) == 2 {
		list := reflect.ValueOf(args[0])
		if i, ok := args[1].(int); ok && (list.Kind() == reflect.Slice || list.Kind() == reflect.Array) && i >= 0 && i < list.Len() {
			return list.Index(i).Interface(), nil
		}
	}
	return nil, fmt.Errorf("there is no element %s", strings.Trim(fmt.Sprint(args...), "[]"))
}
