package plainyaml

import (
	"fmt"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// MaxDepth is how deep lists and maps may lie in one another.
const MaxDepth = 16

// Error says what is refused, and where; line and column count from 1.
type Error struct {
	Line, Column int
	Text         string
}

// Error implements error: it puts line and column before the text.
func (e *Error) Error() string { return fmt.Sprintf("[%d:%d] %s", e.Line, e.Column, e.Text) }

// Check refuses a text of more than most bytes, one that is nested more than MaxDepth deep,
// anchors, aliases, merges and tags, and a second document, which the parser would skip silently.
// It reads tokens only, in a time that grows with the length of the text. The error is an *Error.
func Check(text []byte, most int) error { return check(text, most, &documents{}) }

// CheckAll is Check for a text of any number of documents, which the caller reads all.
func CheckAll(text []byte, most int) error { return check(text, most, nil) }

// check refuses a second document where documents are followed.
func check(text []byte, most int, follow *documents) error {
	if len(text) > most {
		return &Error{1, 1, fmt.Sprintf("the file has %d bytes, and may have %d: is it the right file?", len(text), most)}
	}
	var d depth
	for _, tk := range lexer.Tokenize(string(text)) {
		switch tk.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType, token.TagType:
			return refuse(tk, "anchors, aliases, merges and tags are not accepted; write the value itself")
		}
		if d.after(tk) > MaxDepth {
			return refuse(tk, fmt.Sprintf("nested too deep: %d levels are the most", MaxDepth))
		}
		if follow != nil && follow.another(tk) {
			return refuse(tk, "a second document begins here, and would not be read: write one file for each")
		}
	}
	return nil
}

func refuse(tk *token.Token, text string) error {
	return &Error{tk.Position.Line, tk.Position.Column, text}
}

// documents follows where documents begin.
type documents struct {
	begun     bool
	directive int // of the latest, its line: its words are tokens of their own
}

// another reports whether one more token begins a second document.
func (d *documents) another(tk *token.Token) bool {
	switch {
	case tk.Type == token.DirectiveType:
		d.directive = tk.Position.Line
	case tk.Type == token.CommentType, tk.Position.Line == d.directive:
	case tk.Type == token.DocumentHeaderType && d.begun:
		return true
	default:
		d.begun = true
	}
	return false
}

// depth follows how deep the parser would be. In block style, each key, entry and "?" that
// is further to the right than those around it is a level; in flow style, each bracket is,
// and so is each key in a row of keys without a comma.
type depth struct {
	block    []int // columns
	brackets int
	keys     int // since the last comma
}

// after gives the depth with one more token.
func (d *depth) after(tk *token.Token) int {
	switch tk.Type {
	case token.SequenceStartType, token.MappingStartType:
		d.brackets++
	case token.SequenceEndType, token.MappingEndType:
		d.brackets, d.keys = max(0, d.brackets-1), 0
	case token.CollectEntryType:
		d.keys = 0
	case token.SequenceEntryType, token.MappingKeyType:
		d.open(tk)
	case token.MappingValueType:
		if tk.Prev != nil && tk.Prev.Position != nil {
			tk = tk.Prev // the key
		}
		d.open(tk)
	}
	return len(d.block) + d.brackets + d.keys
}

func (d *depth) open(tk *token.Token) {
	if d.brackets > 0 {
		d.keys++
		return
	}
	n := len(d.block)
	for n > 0 && d.block[n-1] >= tk.Position.Column {
		n--
	}
	d.block = append(d.block[:n], tk.Position.Column)
}
