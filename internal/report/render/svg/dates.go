package svg

import "time"

// dateStep is a distance of two ticks on an axis of dates, and how they are written.
type dateStep struct {
	months, days, seconds int
	format                string
}

func dateSteps() []dateStep {
	const second, minute, day, month, year = "15:04:05", "01-02 15:04", "01-02", "2006-01", "2006"
	list := []dateStep{{0, 0, 1, second}, {0, 0, 5, second}, {0, 0, 15, second}, {0, 0, 60, minute}, {0, 0, 300, minute}, {0, 0, 900, minute},
		{0, 0, 3600, minute}, {0, 0, 3 * 3600, minute}, {0, 0, 6 * 3600, minute}, {0, 0, 12 * 3600, minute}, {0, 1, 0, day}, {0, 2, 0, day},
		{0, 7, 0, day}, {0, 14, 0, day}, {1, 0, 0, month}, {3, 0, 0, month}, {6, 0, 0, month}}
	for _, years := range []int{1, 2, 5, 10, 20, 50, 100, 500, 1000, 2000} {
		list = append(list, dateStep{12 * years, 0, 0, year})
	}
	return list
}

// first is the first round time at or before one.
func (s dateStep) first(t time.Time) time.Time {
	switch {
	case s.months >= 12:
		years := s.months / 12
		return time.Date(t.Year()/years*years, 1, 1, 0, 0, 0, 0, time.UTC)
	case s.months > 0:
		return time.Date(t.Year(), time.Month(int(t.Month()-1)/s.months*s.months+1), 1, 0, 0, 0, 0, time.UTC)
	case s.days > 0:
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
	}
	return t.Truncate(time.Duration(s.seconds) * time.Second)
}

// length is about how long the step is, seconds.
func (s dateStep) length() float64 {
	return float64(s.months)*30.4*86400 + float64(s.days)*86400 + float64(s.seconds)
}

// dates is an axis of seconds since 1970, from the first value to the last.
func (s *scale) dates(least, most float64, marks int) {
	const earliest, latest = -62135596800, 253402300799 // the years 1 to 9999, which can be written
	least, most = min(max(least, earliest), latest), max(min(most, latest), earliest)
	margin := max(1, (most-least)/50)
	s.to = func(v float64) float64 { return v }
	s.lo, s.hi = least-margin, most+margin
	steps := dateSteps()
	step := steps[len(steps)-1]
	for _, one := range steps {
		if one.length()*float64(marks) >= s.hi-s.lo {
			step = one
			break
		}
	}
	for at := step.first(time.Unix(int64(s.lo), 0).UTC()); float64(at.Unix()) <= s.hi; {
		if float64(at.Unix()) >= s.lo {
			s.mark(float64(at.Unix()), at.Format(step.format))
		}
		at = at.AddDate(0, step.months, step.days).Add(time.Duration(step.seconds) * time.Second)
	}
}

// categories are places 0, 1, 2 ..., named where there is room.
func (s *scale) categories(names []string) {
	s.to = func(v float64) float64 { return v }
	s.lo, s.hi = -0.5, float64(len(names))-0.5
	const named, longest = 6, 14
	every := (len(names) + named - 1) / named
	for i, name := range names {
		if i%every != 0 {
			continue
		}
		if runes := []rune(name); len(runes) > longest {
			name = string(runes[:longest-1]) + "…"
		}
		s.mark(float64(i), name)
	}
}
