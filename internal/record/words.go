package record

import (
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
func (r *Result) CutToWords() { cutToWords(reflect.ValueOf(r).Elem()) }

func cutToWords(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() && v.Type() != reflect.TypeFor[LoadKind]() { // one of its constants, two words in one
			v.SetString(word.FindString(v.String()))
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			cutToWords(v.Elem())
		}
	case reflect.Slice:
		if texts, ok := v.Interface().([]string); ok {
			v.Set(reflect.ValueOf(words(texts)))
			return
		}
		for i := range v.Len() {
			cutToWords(v.Index(i))
		}
	case reflect.Map: // facts of a host or a trial by foreign names
		v.SetZero()
	case reflect.Struct:
		structToWords(v)
	}
}

func structToWords(v reflect.Value) {
	for i := range v.NumField() {
		if v.Field(i).CanSet() {
			cutToWords(v.Field(i))
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
