//! The serde interface of the writer: every serde type becomes a text, a list or an object.

use super::object::ObjectWriter;
use super::{CanonicalWriter, ListWriter, WriteResult};
use countersign_core::encoding::json::{self, JsonError};
use serde::Serialize;
use serde::ser;
use serde_json::Number;

macro_rules! write_numbers {
    ($($method:ident: $number:ty,)*) => {
        $(fn $method(self, value: $number) -> WriteResult {
            self.write_number(value)
        })*
    };
}

macro_rules! write_list {
    ($($form:ident::$method:ident,)*) => {
        $(impl ser::$form for ListWriter<'_, '_> {
            type Ok = ();
            type Error = JsonError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
                self.write_item(value)
            }

            fn end(self) -> WriteResult {
                self.finish()
            }
        })*
    };
}

macro_rules! write_object {
    ($($form:ident),*) => {
        $(impl ser::$form for ObjectWriter<'_, '_> {
            type Ok = ();
            type Error = JsonError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> WriteResult {
                self.write_field(name, value)
            }

            fn end(self) -> WriteResult {
                self.finish()
            }
        })*
    };
}

impl<'a, 'p> ser::Serializer for &'a mut CanonicalWriter<'p> {
    type Ok = ();
    type Error = JsonError;
    type SerializeSeq = ListWriter<'a, 'p>;
    type SerializeTuple = ListWriter<'a, 'p>;
    type SerializeTupleStruct = ListWriter<'a, 'p>;
    type SerializeTupleVariant = ListWriter<'a, 'p>;
    type SerializeMap = ObjectWriter<'a, 'p>;
    type SerializeStruct = ObjectWriter<'a, 'p>;
    type SerializeStructVariant = ObjectWriter<'a, 'p>;

    fn serialize_bool(self, value: bool) -> WriteResult {
        self.out.push_str(if value { "true" } else { "false" });
        Ok(())
    }

    write_numbers! {
        serialize_i8: i8,
        serialize_i16: i16,
        serialize_i32: i32,
        serialize_i64: i64,
        serialize_u8: u8,
        serialize_u16: u16,
        serialize_u32: u32,
        serialize_u64: u64,
    }

    fn serialize_f32(self, value: f32) -> WriteResult {
        self.serialize_f64(f64::from(value))
    }

    fn serialize_f64(self, value: f64) -> WriteResult {
        match Number::from_f64(value) {
            Some(number) => self.write_number(number),
            None => self.serialize_unit(),
        }
    }

    fn serialize_char(self, value: char) -> WriteResult {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> WriteResult {
        json::write_string(value, &mut self.out);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> WriteResult {
        let mut list = ListWriter::begin(self, None)?;
        value.iter().try_for_each(|byte| list.write_item(byte))?;
        list.finish()
    }

    fn serialize_none(self) -> WriteResult {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> WriteResult {
        value.serialize(self)
    }

    fn serialize_unit(self) -> WriteResult {
        self.out.push_str("null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> WriteResult {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> WriteResult {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> WriteResult {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> WriteResult {
        let mut object = ObjectWriter::begin(self, None)?;
        object.write_field(variant, value)?;
        object.finish()
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<ListWriter<'a, 'p>, JsonError> {
        ListWriter::begin(self, None)
    }

    fn serialize_tuple(self, _: usize) -> Result<ListWriter<'a, 'p>, JsonError> {
        ListWriter::begin(self, None)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ListWriter<'a, 'p>, JsonError> {
        ListWriter::begin(self, None)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ListWriter<'a, 'p>, JsonError> {
        let enclosing = self.enter_variant(variant)?;
        ListWriter::begin(self, Some(enclosing))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<ObjectWriter<'a, 'p>, JsonError> {
        ObjectWriter::begin(self, None)
    }

    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<ObjectWriter<'a, 'p>, JsonError> {
        ObjectWriter::begin(self, None)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<ObjectWriter<'a, 'p>, JsonError> {
        let enclosing = self.enter_variant(variant)?;
        ObjectWriter::begin(self, Some(enclosing))
    }
}

write_list! {
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field,
    SerializeTupleVariant::serialize_field,
}

write_object!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for ObjectWriter<'_, '_> {
    type Ok = ();
    type Error = JsonError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> WriteResult {
        self.write_key(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> WriteResult {
        self.write_value(value)
    }

    fn end(self) -> WriteResult {
        self.finish()
    }
}
