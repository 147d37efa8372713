// Package junit writes behaviour cases as JUnit XML, for CI systems.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

type suites struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []suite  `xml:"testsuite"`
}

type suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Cases    []test `xml:"testcase"`
}

type test struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Failure *problem `xml:"failure,omitempty"`
	Error   *problem `xml:"error,omitempty"`
	Skipped *problem `xml:"skipped,omitempty"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// Write writes a suite for each DUT. Findings are failures; what a DUT may refuse, and
// what says nothing of it, is skipped; a DUT that did not come up is an error.
func Write(w io.Writer, r *record.Result) error {
	var all suites
	for i := range r.DUTs {
		all.Suites = append(all.Suites, suiteOf(&r.DUTs[i]))
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func suiteOf(d *record.DUT) suite {
	label := d.Name
	if d.Mode != "" {
		label += ":" + d.Mode
	}
	s := suite{Name: label}
	for i := range d.Cases {
		t := testOf(label, &d.Cases[i])
		switch {
		case t.Failure != nil:
			s.Failures++
		case t.Skipped != nil:
			s.Skipped++
		}
		s.Cases = append(s.Cases, t)
	}
	if d.Error != "" {
		s.Errors++
		s.Cases = append(s.Cases, test{Class: label, Name: "comes up", Error: &problem{Message: d.Error}})
	}
	s.Tests = len(s.Cases)
	return s
}

func testOf(label string, c *record.Case) test {
	group, _, _ := strings.Cut(c.ID, ".")
	t := test{Class: label + "." + group, Name: c.ID}
	switch {
	case c.Verdict.Bad():
		t.Failure = &problem{Message: c.Observed, Type: string(c.Verdict),
			Text: fmt.Sprintf("%s\n%s\nexpected: %s\nobserved: %s\ncause: %s\ncapture: %s\n", c.Title, c.Clause, c.Expected, c.Observed, c.Cause, c.Capture)}
	case c.Verdict != record.VerdictEnforced:
		t.Skipped = &problem{Message: string(c.Verdict) + ": " + c.Observed}
	}
	return t
}
