// Package junit writes a result as JUnit XML, for CI systems: behaviour cases, incidents, thresholds,
// trials and flows.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/printable"
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
	Seconds string   `xml:"time,attr,omitempty"`
	Failure *problem `xml:"failure,omitempty"`
	Error   *problem `xml:"error,omitempty"`
	Skipped *problem `xml:"skipped,omitempty"`
}

type problem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// Write writes a suite for each DUT, and one for thresholds that are of none. A finding
// and a threshold that failed are failures; what a DUT may refuse, what says nothing of it
// and trials that are not valid are skipped; a DUT that did not come up, and a threshold
// that cannot be told, are errors.
func Write(w io.Writer, r *record.Result) error {
	var all suites
	for i := range r.DUTs {
		all.Suites = append(all.Suites, suiteOf(&r.DUTs[i], r.Thresholds))
	}
	if nobodys := thresholdTests("", r.Thresholds); len(nobodys) > 0 {
		all.Suites = append(all.Suites, counted(suite{Name: "run", Cases: nobodys}))
	}
	var text strings.Builder
	text.WriteString(xml.Header)
	enc := xml.NewEncoder(&text)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	text.WriteByte('\n')
	// XML allows C1 control characters and those that turn the direction of writing.
	_, err := io.WriteString(w, printable.Only(text.String(), unicode.ReplacementChar, "\n"))
	return err
}

func suiteOf(d *record.DUT, thresholds []record.Threshold) suite {
	label := d.Label()
	s := suite{Name: label}
	for i := range d.Cases {
		test := testOf(label, &d.Cases[i])
		for _, cause := range d.Causes {
			if test.Failure != nil && slices.Contains(cause.Explains, test.Name) {
				test.Failure.Text += "explained by: " + cause.Case + "\n"
			}
		}
		s.Cases = append(s.Cases, test)
	}
	for i := range d.Incidents {
		s.Cases = append(s.Cases, incidentTest(label, &d.Incidents[i]))
	}
	s.Cases = append(s.Cases, thresholdTests(label, thresholds)...)
	s.Cases = append(s.Cases, measurements(label, d)...)
	if d.Error != "" {
		s.Cases = append(s.Cases, test{Class: label, Name: "comes up", Error: &problem{Message: d.Error}})
	}
	return counted(s)
}

// incidentTest passes where the incident happened as it should have; what users lost in it is for thresholds.
func incidentTest(label string, x *record.Incident) test {
	t := test{Class: label + ".incident", Name: x.ID}
	switch {
	case x.Died:
		t.Failure = &problem{Message: x.Problem, Type: "died"}
	case x.Problem != "":
		t.Error = &problem{Message: x.Problem}
	case x.NotApplicable != "":
		t.Skipped = &problem{Message: "not applicable: " + x.NotApplicable}
	}
	return t
}

func counted(s suite) suite {
	s.Tests = len(s.Cases)
	for _, t := range s.Cases {
		switch {
		case t.Failure != nil:
			s.Failures++
		case t.Error != nil:
			s.Errors++
		case t.Skipped != nil:
			s.Skipped++
		}
	}
	return s
}

func testOf(label string, c *record.Case) test {
	group, _, _ := strings.Cut(c.ID, ".")
	t := test{Class: label + "." + group, Name: c.ID}
	switch {
	case c.Verdict.Bad():
		t.Failure = &problem{Message: c.Observed, Type: string(c.Verdict),
			Text: fmt.Sprintf("%s\n%s\nexpected: %s\nobserved: %s\ncause: %s\ncapture: %s\n", c.Title, c.Clause,
				c.Expected, c.Observed, c.Cause, c.Capture)}
	case c.Verdict != record.VerdictEnforced:
		t.Skipped = &problem{Message: string(c.Verdict) + ": " + c.Observed}
	}
	return t
}
