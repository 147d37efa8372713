// Command schemagen writes the JSON Schema of a scenario file and the tables of its keys in the documentation from the
// types of package scenario: their fields, tags and comments. go generate runs it.
package main

//go:generate go run .

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/document"
	"github.com/upflab/upflab/internal/scenario/schema"
)

func main() {
	files, err := generated()
	for path, text := range files {
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "schemagen:", err)
		os.Exit(1)
	}
}

// generated are the files to write, by their paths from this folder.
func generated() (map[string]string, error) {
	text, err := schemaOfTypes("..")
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(keysPage)
	if err != nil {
		return nil, err
	}
	keys, err := withKeys(string(page), text)
	return map[string]string{"../schema/schema.json": text, keysPage: keys}, err
}

// schemaOfTypes is the schema of a scenario file, by the types of the package in a folder.
func schemaOfTypes(dir string) (string, error) {
	base, err := scenario.DefaultTree()
	if err != nil {
		return "", err
	}
	comments, err := fieldComments(dir)
	if err != nil {
		return "", err
	}
	s := schemaOf{comments: comments, defaults: base}
	root := struct {
		Schema string `json:"$schema"`
		ID     string `json:"$id"`
		Title  string `json:"title"`
		property
	}{"https://json-schema.org/draft/2020-12/schema", "https://github.com/upflab/upflab/" + schema.Name, "upflab scenario",
		s.object("", reflect.TypeFor[scenario.Scenario]())}
	root.Description = "What to measure. Every key may be left out."
	text, err := json.MarshalIndent(root, "", "  ")
	return string(text) + "\n", err
}

// property is the schema of one value, in the order it is written.
type property struct {
	Description string     `json:"description,omitempty"`
	Type        any        `json:"type,omitempty"` // a name, or several
	Enum        []any      `json:"enum,omitempty"`
	Format      string     `json:"format,omitempty"`
	Pattern     string     `json:"pattern,omitempty"`
	MaxLength   int        `json:"maxLength,omitempty"`
	Minimum     any        `json:"minimum,omitempty"`
	Maximum     any        `json:"maximum,omitempty"`
	Properties  properties `json:"properties,omitempty"`
	Additional  *bool      `json:"additionalProperties,omitempty"`
	Required    []string   `json:"required,omitempty"`
	Items       *property  `json:"items,omitempty"`
	MinItems    int        `json:"minItems,omitempty"`
	MaxItems    int        `json:"maxItems,omitempty"`
	UniqueItems bool       `json:"uniqueItems,omitempty"`
	Default     any        `json:"default,omitempty"`
	Examples    []any      `json:"examples,omitempty"`
	XType       string     `json:"x-type,omitempty"`  // what it takes, in words
	XUnit       string     `json:"x-unit,omitempty"`  // "packets/s"
	XRange      string     `json:"x-range,omitempty"` // of values with a unit
	XSet        []string   `json:"x-set,omitempty"`   // keys of an item's short form

	plural string
}

// properties keep the order of the fields.
type properties []named

type named struct {
	name string
	property
}

func (list properties) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, p := range list {
		text, err := json.Marshal(p.property)
		if err != nil {
			return nil, err
		}
		b.WriteString(strings.Repeat(",", min(i, 1)) + strconv.Quote(p.name) + ":")
		b.Write(text)
	}
	return []byte("{" + b.String() + "}"), nil
}

// schemaOf makes properties of struct fields.
type schemaOf struct {
	comments map[string]string // by PACKAGE.TYPE.FIELD
	defaults *document.Node    // load-latency
}

func (s schemaOf) object(path string, typ reflect.Type) property {
	p := property{Type: "object", Additional: new(bool)}
	for field := range typ.Fields() {
		if field.Anonymous { // inline: its keys are the object's
			part := s.object(path, field.Type)
			p.Properties, p.Required = append(p.Properties, part.Properties...), append(p.Required, part.Required...)
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		value := s.value(strings.TrimPrefix(path+"."+name, "."), field)
		value.Description = s.comments[typ.String()+"."+field.Name]
		p.Properties = append(p.Properties, named{name, value})
		if field.Tag.Get("required") != "" {
			p.Required = append(p.Required, name)
		}
	}
	return p
}

func (s schemaOf) value(path string, field reflect.StructField) property {
	p := s.typed(path, field.Type, field.Tag)
	if n := s.defaults.Find(path); n != nil && p.Properties == nil {
		p.Default = n.Plain()
	} else if text := field.Tag.Get("default"); text != "" {
		p.Default = p.parse(text)
	}
	if text := field.Tag.Get("example"); text != "" {
		p.Examples = []any{p.parse(text)}
	}
	return p
}

func (s schemaOf) typed(path string, typ reflect.Type, tag reflect.StructTag) property {
	switch {
	case typ.Kind() == reflect.Pointer:
		return s.typed(path, typ.Elem(), tag)
	case typ.Kind() == reflect.Slice:
		return s.list(path, typ, tag)
	case typ.Kind() == reflect.Struct && kindOf(typ) == "":
		return s.object(path, typ)
	}
	p := kinds[cmp.Or(tag.Get("kind"), kindOf(typ))]
	p.XUnit = cmp.Or(tag.Get("unit"), p.XUnit)
	p.setEnum(tag.Get("enum"))
	p.setRange(tag.Get("range"))
	return p
}

func (s schemaOf) list(path string, typ reflect.Type, tag reflect.StructTag) property {
	item := s.typed(path, typ.Elem(), tag)
	least, most, _ := strings.Cut(tag.Get("items"), "..")
	p := property{
		Type: "array", UniqueItems: tag.Get("unique") != "",
		XType: "a list of " + cmp.Or(item.plural, tag.Get("plural")), XUnit: item.XUnit, XRange: item.XRange,
	}
	p.MinItems, _ = strconv.Atoi(least)
	p.MaxItems, _ = strconv.Atoi(most)
	if short := tag.Get("short"); short != "" {
		p.XSet = strings.Split(short, ":")
	}
	item.XType, item.XUnit, item.XRange = "", "", ""
	p.Items = &item
	return p
}

// Kinds are the values that a key can take, by the tag kind or else the type.
var kinds = map[string]property{
	"bool":  {Type: "boolean", XType: "true or false"},
	"int":   {Type: "integer", XType: "an integer"},
	"float": {Type: "number", XType: "a number", plural: "numbers"},
	"load": {Type: []string{"string", "number"}, Format: "upflab-load", XType: "a rate, max or auto",
		plural: "rates, max or auto", XUnit: "packets/s"},
	"rate":     {Type: []string{"string", "number"}, Format: "upflab-rate", XType: "a rate", XUnit: "packets/s"},
	"duration": {Type: []string{"string", "integer"}, Format: "upflab-duration", XType: "a duration", XUnit: "s, ms, m or h"},
	"size":     {Type: []string{"integer", "string"}, Format: "upflab-size", XType: "a size", XUnit: "bytes"},
	"sizes":    {Type: []string{"string", "integer"}, Format: "upflab-sizes", plural: "sizes or mixtures", XUnit: "bytes"},
	"cpus":     {Type: []string{"integer", "string"}, Format: "upflab-cpus", XType: "numbers of CPUs, as 2, 0,1 or 4-7, or -1"},
	"address":  {Type: "string", Format: "ipv4", XType: "an IPv4 address"},
	"address6": {Type: "string", Format: "upflab-ipv6", XType: "an IPv6 address"},
	"subnet6":  {Type: "string", Format: "upflab-subnet6", XType: "an IPv6 subnet"},
	"subnet":   {Type: "string", Format: "upflab-subnet", XType: "an IPv4 subnet"},

	"text": {Type: "string", MaxLength: 4000, Pattern: `^[\P{C}\n]*$`, XType: "text without tabs or control characters"},
	"name": {Type: "string", Pattern: `^[a-z0-9][a-z0-9-]{0,62}$`, XType: "lower-case letters, digits and hyphens, at most 63"},
	"case": {Type: "string", Pattern: `^[a-z0-9][A-Za-z0-9.-]{0,79}$`,
		XType: "the name of a case, or of a group of them", plural: "cases"},
	"goal":      {Type: "string", Pattern: `^[a-z][a-z0-9_-]{0,31}$`, XType: "lower-case letters, digits, - and _, at most 32"},
	"url":       {Type: "string", Pattern: `^https?://[^\s\p{C}]{1,200}$`, XType: "a URL"},
	"interface": {Type: "string", Pattern: `^[^\s/\p{C}]{1,15}$`, XType: "an interface name, at most 15 characters"},
	"dnn": {Type: "string", MaxLength: 100,
		Pattern: `^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?)*$`,
		XType:   "labels of letters, digits and hyphens, joined by dots"},
	"threshold": {Type: "string", MaxLength: 200, Format: "upflab-threshold", XType: "a threshold", plural: "thresholds"},
	"image":     {Type: "string", Pattern: `^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,254}$`, XType: "the name of an image"},
	"file":      {Type: "string", Pattern: `^[A-Za-z0-9./][A-Za-z0-9._/+~-]{0,254}$`, XType: "the path of a file", plural: "files"},
	"path":      {Type: "string", Pattern: `^[A-Za-z0-9./][A-Za-z0-9._/+~-]{0,254}$`, XType: "a path"},
	"host":      {Type: "string", Pattern: `^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}(@[A-Za-z0-9][A-Za-z0-9._:/-]{0,127})?$`, XType: "user@host, or a name that ssh knows"},
	"endpoint":  {Type: "string", Pattern: `^[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?(:[0-9]{1,5})?$`, XType: "HOST or HOST:PORT"},
	"testbed": {Type: "string", Pattern: `^[A-Za-z0-9][A-Za-z0-9_-]{0,62}:[^\s/@\p{C}]{1,15}(@[0-9]{1,4}(-[0-9]{1,4})?)?$`, plural: "testbeds",
		XType: "TESTBED:DEVICE, or TESTBED:DEVICE@CPUS"},
	"pid":     {Type: "integer", XType: "an integer"},
	"process": {Type: "string", Pattern: `^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$`, XType: "a number or a name"},
}

// kindOf is the kind of a type; "" of a section.
func kindOf(typ reflect.Type) string {
	switch typ {
	case reflect.TypeFor[record.Load]():
		return "load"
	case reflect.TypeFor[scenario.Duration]():
		return "duration"
	case reflect.TypeFor[scenario.Size]():
		return "sizes"
	case reflect.TypeFor[scenario.CPUs]():
		return "cpus"
	case reflect.TypeFor[netip.Addr]():
		return "address"
	case reflect.TypeFor[netip.Prefix]():
		return "subnet"
	}
	switch {
	case typ.Kind() == reflect.Bool:
		return "bool"
	case typ.Kind() == reflect.String:
		return "text"
	case typ.Kind() == reflect.Float64:
		return "float"
	case typ.Kind() == reflect.Struct:
		return ""
	}
	return "int"
}

// setEnum makes a value one of those listed with commas.
func (p *property) setEnum(list string) {
	if list == "" {
		return
	}
	for text := range strings.SplitSeq(list, ",") {
		p.Enum = append(p.Enum, p.parse(text))
	}
	words := strings.ReplaceAll(list, ",", ", ")
	p.MaxLength, p.Pattern, p.XType, p.plural = 0, "", "one of "+words, words
}

// setRange bounds a number, or a value with a unit.
func (p *property) setRange(text string) {
	low, high, bounded := strings.Cut(text, "..")
	switch {
	case bounded && p.Format == "":
		p.Minimum, p.Maximum = p.parse(low), p.parse(high)
	case bounded:
		p.XRange = text
	}
}

// parse reads the value of a tag.
func (p *property) parse(text string) any {
	switch p.Type {
	case "array":
		list := []any{}
		for _, item := range strings.FieldsFunc(strings.Trim(text, "[]"), func(r rune) bool { return r == ',' }) {
			list = append(list, p.Items.parse(item))
		}
		return list
	case "boolean":
		return text == "true"
	case "integer", "number":
		if i, err := strconv.ParseInt(text, 0, 64); err == nil {
			return i
		}
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(fmt.Sprintf("the tag %q is not a number", text))
		}
		return document.WholeOrFloat(f)
	}
	return text
}

// fieldComments are the comments of the fields of a package and of record beside it, each on one line.
func fieldComments(dir string) (map[string]string, error) {
	comments := map[string]string{}
	for _, pattern := range []string{"*.go", "../record/*.go"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return nil, err
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			ast.Inspect(file, func(n ast.Node) bool { addComments(comments, file.Name.Name, n); return true })
		}
	}
	return comments, nil
}

func addComments(comments map[string]string, pkg string, n ast.Node) {
	typ, _ := n.(*ast.TypeSpec)
	if typ == nil {
		return
	}
	fields, _ := typ.Type.(*ast.StructType)
	if fields == nil {
		return
	}
	for _, f := range fields.Fields.List {
		for _, name := range f.Names {
			comments[pkg+"."+typ.Name.Name+"."+name.Name] = strings.Join(strings.Fields(f.Doc.Text()), " ")
		}
	}
}
