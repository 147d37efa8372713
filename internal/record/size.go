package record

import "strconv"

// SizeName is the name of the trial's size: Size, or the payload where a
// result does not name it.
func (t *Trial) SizeName() string { return sizeName(t.Size, t.PayloadBytes) }

// SizeName is that of a search.
func (s *Search) SizeName() string { return sizeName(s.Size, s.PayloadBytes) }

func sizeName(size string, payload int) string {
	if size != "" {
		return size
	}
	return strconv.Itoa(payload)
}
