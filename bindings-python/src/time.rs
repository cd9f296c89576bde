//! `datetime` objects from instants and back.

use pyo3::ffi::*;
use samewire::options::Naive;
use samewire::time::{Timestamp, civil_from_days, days_from_civil};
use samewire::{Code, Error};

use crate::layout::Object;
use crate::owned::{Owned, python_error};
use crate::state::state;

/// 0001-01-01 and 9999-12-31T23:59:59 in seconds since 1970: what a `datetime` holds.
const FIRST: i64 = -62_135_596_800;
const LAST: i64 = 253_402_300_799;

/// An aware `datetime` in UTC; a `samewire.Timestamp` where that is not exact.
pub fn as_datetime(value: Timestamp) -> Result<Owned, Error> {
    let (seconds, nanoseconds) = (value.seconds(), value.nanoseconds());
    if !(FIRST..=LAST).contains(&seconds) {
        return Err(out_of_range(seconds));
    }
    // SAFETY: the lock is held.
    unsafe {
        if nanoseconds % 1000 != 0 {
            let arguments = Owned::new(PyTuple_New(2))?;
            let first = Owned::new(PyLong_FromLongLong(seconds))?;
            let second = Owned::new(PyLong_FromLongLong(i64::from(nanoseconds)))?;
            PyTuple_SET_ITEM(arguments.as_ptr(), 0, first.into_ptr());
            PyTuple_SET_ITEM(arguments.as_ptr(), 1, second.into_ptr());
            return Owned::new(PyObject_Call((*state()).python.timestamp, arguments.as_ptr(), core::ptr::null_mut()));
        }
        let Some((year, month, day)) = civil_from_days(seconds.div_euclid(86_400)) else {
            return Err(out_of_range(seconds));
        };
        let second = seconds.rem_euclid(86_400) as i32;
        Owned::new(((*PyDateTimeAPI()).DateTime_FromDateAndTime)(
            year as i32,
            month as i32,
            day as i32,
            second / 3600,
            second / 60 % 60,
            second % 60,
            (nanoseconds / 1000) as i32,
            (*state()).utc,
            (*state()).datetime_type,
        ))
    }
}

#[cold]
fn out_of_range(seconds: i64) -> Error {
    Error::new(
        Code::TimestampOutOfRange,
        format!(
            "{seconds} seconds since 1970 are outside the years 1 to 9999 of datetime; timestamp=\"int\" reads them"
        ),
    )
}

/// Nanoseconds since 1970.
pub fn as_int(value: Timestamp) -> Result<Owned, Error> {
    let nanoseconds = value.as_nanoseconds();
    match i64::try_from(nanoseconds) {
        // SAFETY: the lock is held.
        Ok(small) => unsafe { Owned::new(PyLong_FromLongLong(small)) },
        Err(_) => crate::bigint::from_digits(&nanoseconds.to_string()),
    }
}

/// The instant of an object that is a `datetime`.
///
/// # Safety
/// The lock is held; `object` is a `datetime`, kept alive by the caller.
pub unsafe fn instant_of(object: Object, naive: Naive) -> Result<Timestamp, Error> {
    // SAFETY: the caller's.
    unsafe {
        let days = days_from_civil(
            i64::from(PyDateTime_GET_YEAR(object)),
            PyDateTime_GET_MONTH(object) as u32,
            PyDateTime_GET_DAY(object) as u32,
        );
        let second = PyDateTime_DATE_GET_HOUR(object) * 3600
            + PyDateTime_DATE_GET_MINUTE(object) * 60
            + PyDateTime_DATE_GET_SECOND(object);
        let mut seconds = days * 86_400 + i64::from(second);
        let mut nanoseconds = PyDateTime_DATE_GET_MICROSECOND(object) as i64 * 1000;
        let zone = PyDateTime_DATE_GET_TZINFO(object);
        if zone != (*state()).utc {
            if zone == (*state()).none {
                if naive == Naive::Error {
                    return Err(is_naive());
                }
            } else {
                let (s, micro) = offset_of(object, naive)?;
                seconds -= s;
                nanoseconds -= micro * 1000;
            }
        }
        if Py_TYPE(object) != (*state()).datetime_type {
            nanoseconds += extra_nanoseconds(object)?;
        }
        seconds += nanoseconds.div_euclid(1_000_000_000);
        Timestamp::new(seconds, nanoseconds.rem_euclid(1_000_000_000) as u32)
    }
}

#[cold]
fn is_naive() -> Error {
    Error::new(Code::NaiveDatetime, "a datetime without a time zone; give it one, or set naive=\"utc\"")
}

/// Seconds and microseconds of `object.utcoffset()`.
#[inline(never)]
unsafe fn offset_of(object: Object, naive: Naive) -> Result<(i64, i64), Error> {
    // SAFETY: the lock is held.
    unsafe {
        let offset = Owned::new(PyObject_CallMethod(object, c"utcoffset".as_ptr(), core::ptr::null()))?;
        if offset.as_ptr() == (*state()).none {
            return if naive == Naive::Error { Err(is_naive()) } else { Ok((0, 0)) };
        }
        if PyDelta_Check(offset.as_ptr()) == 0 {
            return Err(python_error());
        }
        let days = i64::from(PyDateTime_DELTA_GET_DAYS(offset.as_ptr()));
        let seconds = i64::from(PyDateTime_DELTA_GET_SECONDS(offset.as_ptr()));
        Ok((days * 86_400 + seconds, i64::from(PyDateTime_DELTA_GET_MICROSECONDS(offset.as_ptr()))))
    }
}

/// What a subclass with more precision has beyond the microseconds: `samewire.Timestamp` and pandas' call it
/// `nanosecond`, 0 to 999.
#[inline(never)]
unsafe fn extra_nanoseconds(object: Object) -> Result<i64, Error> {
    // SAFETY: the lock is held.
    unsafe {
        let extra = PyObject_GetAttrString(object, c"nanosecond".as_ptr());
        if extra.is_null() {
            PyErr_Clear();
            return Ok(0);
        }
        let extra = Owned::new(extra)?;
        let n = PyLong_AsLongLong(extra.as_ptr());
        if n == -1 && !PyErr_Occurred().is_null() {
            return Err(python_error());
        }
        if !(0..1000).contains(&n) {
            return Err(Error::new(Code::InvalidTimestamp, format!("nanosecond={n} is not in 0 to 999")));
        }
        Ok(n)
    }
}
