package report

// tables lays out a kind of trial, a table for each direction.
func (v view) tables(kind string, loads []string) []pageTable {
	var tables []pageTable
	for _, direction := range v.Directions {
		table := pageTable{Direction: direction, Frames: title(framesOf(v, direction)), Parts: v.Parts}
		for _, load := range loads {
			if rows := v.rows(kind, direction, load); len(rows) > 0 {
				table.Groups = append(table.Groups, pageGroup{Load: load, Rows: rows})
			}
		}
		if len(table.Groups) > 0 {
			tables = append(tables, table)
		}
	}
	return tables
}

// searchTables lists the searches, a table for each direction.
func (v view) searchTables() []pageSearches {
	var tables []pageSearches
	for _, direction := range v.Directions {
		table := pageSearches{Direction: direction}
		for _, d := range v.DUTs {
			for _, s := range d.Found {
				if string(s.Direction) == direction {
					table.Searches = append(table.Searches, s)
				}
			}
		}
		if len(table.Searches) > 0 {
			tables = append(tables, table)
		}
	}
	return tables
}

// otherTables lists the searches of a method that finds no rates.
func (v view) otherTables(method string) (tables []pageSearches) {
	for _, direction := range v.Directions {
		if found := v.others(method, direction); len(found) > 0 {
			tables = append(tables, pageSearches{Direction: direction, Searches: found})
		}
	}
	return tables
}

func (v view) rows(kind, direction, load string) []row {
	var rows []row
	for _, d := range v.DUTs {
		if r := d.row(kind, direction, load); r != nil {
			rows = append(rows, *r)
		}
	}
	return rows
}
