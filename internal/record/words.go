package record

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
)

// word is what a text of a result is cut to where its author is not trusted.
var word = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:@=,%+-]{0,63}`)

// FailedAsItSays stands for the error of a DUT in a result that was cut to words.
const FailedAsItSays = "it failed: its run says why"

// CutToWords leaves one word of each text, and none that is no word at all: names, modes, versions and
// loads stay, prose does not. Reasons become their codes. So a page about a result whose author is not
// trusted, as of a CI job that ran a build, is in upflab's words.
//
// The settings, and the facts of hosts, get a mark of the whole: two that differ still do, and a comparison
// says so.
func (r *Result) CutToWords() {
	settings := marked(r.Settings)
	cutToWords(reflect.ValueOf(r).Elem(), word.FindString)
	r.Settings = settings
}

func cutToWords(v reflect.Value, cut func(string) string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.Type() != reflect.TypeFor[LoadKind]() { // one of its constants, two words in one
			v.SetString(cut(v.String()))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			cutToWords(v.Elem(), cut)
		}
	case reflect.Slice:
		if texts, ok := v.Interface().([]string); ok {
			v.Set(reflect.ValueOf(words(texts)))
			return
		}
		for i := range v.Len() {
			cutToWords(v.Index(i), cut)
		}
	case reflect.Map: // facts of a host or a trial by foreign names: only that they are others is kept
		if facts, ok := v.Interface().(map[string]string); ok && len(facts) > 0 {
			v.Set(reflect.ValueOf(map[string]string{"facts": mark(fmt.Sprint(facts))}))
			return
		}
		v.SetZero()
	case reflect.Struct:
		structToWords(v, cut)
	}
}

// marked is the first word of a text, with a mark of the whole.
func marked(text string) string {
	first := word.FindString(text)
	if first == text {
		return text
	}
	return first + "-" + mark(text)
}

func mark(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:3])
}

func structToWords(v reflect.Value, cut func(string) string) {
	if v.Type() == reflect.TypeFor[Host]() {
		cut = marked
	}
	for i := range v.NumField() {
		if v.Field(i).CanSet() {
			cutToWords(v.Field(i), cut)
		}
	}
	switch s := v.Addr().Interface().(type) {
	case *Judgement:
		s.Reasons = s.ReasonCodes
	case *DUT:
		if s.Error != "" {
			s.Error = FailedAsItSays
		}
	}
}

// words are those of the texts that are a word.
func words(texts []string) (list []string) {
	for _, t := range texts {
		if t != "" && word.FindString(t) == t {
			list = append(list, t)
		}
	}
	return list
}
